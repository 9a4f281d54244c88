import { Acquaintance, type meCalls, Member, type memberCalls, notFound, fieldPicker } from '@teaching/contracts';
import { equalsAnyOf, notNull, containsKeyword, type Handler, p, pagedList, statement } from '@teaching/kit';
import { policyInForce } from '../policy/policy.ts';
import { MEMBER } from '../record/record.tables.ts';
import { visibleMember } from './member.rules.ts';

/** A member with all fields, as staff see it. */
export const SHOWN_MEMBER = MEMBER.contractColumns(Member);

const READ_MEMBER = statement(
  `select ${SHOWN_MEMBER.columns} from member where org_id = $1 and user_id = $2`,
  SHOWN_MEMBER.shape,
);

const list = pagedList({
  ...SHOWN_MEMBER,
  from: 'member',
  id: { by: 'user_id', type: 'text' },
  sorts: {
    display_name: { by: 'display_name', type: 'text' },
    user_id: { by: 'user_id', type: 'text' },
    created_at: { by: 'created_at', type: 'timestamptz' },
    updated_at: { by: 'updated_at', type: 'timestamptz' },
  },
  where: {
    role: { text: 'roles && ?', one: '? = any (roles)' },
    status: equalsAnyOf('status'),
    keyword: containsKeyword('search'),
  },
});

export const listMembers: Handler<typeof memberCalls.listMembers> = ({ query }, session) => list(session, query, query);

/**
 * Whether the caller knows the person: a teacher of the caller or of a linked student at any time, or a linked student
 * or guardian.
 */
const KNOWS = statement(
  `with taught as (
     select $3 as student_id union select student_id from guardian where org_id = $1 and user_id = $3)
   select exists (select from relation r join taught t using (student_id) where r.org_id = $1 and r.teacher_id = $2)
     or exists (select from lesson_student s join taught t using (student_id)
       join lesson l on l.org_id = s.org_id and l.id = s.lesson_id where s.org_id = $1 and l.teacher_id = $2)
     or exists (select from guardian g where g.org_id = $1 and g.student_id = $2 and g.user_id = $3)
     or exists (select from guardian g where g.org_id = $1 and g.student_id = $3 and g.user_id = $2) as known`,
  { known: notNull(p.boolean()) },
);
const acquainted = fieldPicker(Acquaintance);

/** One member. 404 for a caller who is not related to the member. */
export const getMember: Handler<typeof memberCalls.getMember> = async ({ path: { user_id } }, session) => {
  const { org_id, caller, access } = session;
  const seesAll = access.allows({ self: user_id, acquainted: false });
  const [found, knows] = await Promise.all([
    session.queryOne(READ_MEMBER, org_id, user_id),
    seesAll ? undefined : session.queryOne(KNOWS, org_id, user_id, caller.user_id),
  ]);
  if (found === undefined || !access.allows({ self: user_id, acquainted: knows?.known })) throw notFound('Member');
  return seesAll ? visibleMember(caller, found) : acquainted(found);
};

const CHILD = MEMBER.pick('user_id', 'display_name');
const CHILDREN = statement(
  `select ${CHILD.withAlias('m')} from guardian g join member m on m.org_id = g.org_id and m.user_id = g.student_id
   where g.org_id = $1 and g.user_id = $2 order by m.display_name, m.user_id`,
  CHILD.shape,
);

/** The caller, from the token and from the directory. */
export const getMe: Handler<typeof meCalls.getMe> = async (_input, session) => {
  const { org_id, caller } = session;
  const user_id = session.access.requireSelf();
  const [member, children, { zone, currency, org_name }] = await Promise.all([
    session.queryOne(READ_MEMBER, org_id, user_id),
    session.query(CHILDREN, org_id, user_id),
    policyInForce(session, org_id),
  ]);
  return {
    user_id,
    org_id,
    roles: [...caller.roles],
    member: member === undefined ? null : visibleMember(caller, member),
    children,
    policy: { zone, currency, org_name },
  };
};

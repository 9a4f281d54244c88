import {
  type clazzReferenceCalls,
  type FieldProblem,
  type memberCalls,
  notFound,
  unknownIds,
} from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { auditOrg, changesOf } from '../audit/record-audit.ts';
import { MEMBER } from '../record/record.tables.ts';
import { GUARDIAN } from './directory.tables.ts';

const END_FEEDS = statement(
  `delete from calendar_feed f where org_id = $1 and user_id <> student_id and (user_id = $2 or student_id = $2)
   and not exists (select from guardian g where g.org_id = f.org_id and g.student_id = f.student_id and g.user_id = f.user_id)`,
);

/**
 * Deletes the calendar feeds of this student's guardians, or of this guardian, whose link no longer exists. They stay
 * deleted if the link is created again.
 */
export const deleteEndedGuardianFeeds = (session: Session, user_id: string): void =>
  session.run(END_FEEDS, session.org_id, user_id);

const NAME = MEMBER.pick('user_id', 'display_name');
/**
 * Locks the guardians, so that none is removed from the directory before the link is stored. The order is the same
 * everywhere.
 */
const HOLD = statement(
  `select ${NAME.columns} from member where org_id = $1 and user_id = any($2::text[]) order by user_id for share`,
  NAME.shape,
);
/** Serializes calls that set the guardians of one student. */
const HOLD_STUDENT = statement(
  `select ${NAME.columns} from member where org_id = $1 and user_id = $2 for no key update`,
  NAME.shape,
);
const STUDENT = statement(`select ${NAME.columns} from member where org_id = $1 and user_id = $2`, NAME.shape);
const CHILD = GUARDIAN.pick('student_id', 'money');
const LINK = GUARDIAN.pick('user_id', 'relation', 'money');
const LISTED = statement(
  `select ${LINK.withAlias('g')}, m.display_name from guardian g join member m on m.org_id = g.org_id and m.user_id = g.user_id
   where g.org_id = $1 and g.student_id = $2 order by g.position`,
  { ...LINK.shape, display_name: MEMBER.shape.display_name },
);
/**
 * The children of a guardian `$2` in org `$1`, in a stable order, because access is checked for one after the other.
 */
export const CHILDREN = statement(
  `select ${CHILD.columns} from guardian where org_id = $1 and user_id = $2 order by student_id`,
  CHILD.shape,
);
const CLEAR = statement('delete from guardian where org_id = $1 and student_id = $2');

const shownGuardians = async (session: Session, student: { user_id: string; display_name: string }) => ({
  student_id: student.user_id,
  student_name: student.display_name,
  guardians: await session.query(LISTED, session.org_id, student.user_id),
});

/** The audited fields: the guardians, and whether they may see money. */
const linksOf = ({ guardians }: Awaited<ReturnType<typeof shownGuardians>>) => ({
  guardians: guardians.map(({ user_id, money }) => ({ user_id, money })),
});

const pathOf = (index: number): string => `/body/guardians/${index}/user_id`;

/** Replaces the list of guardians of a student. */
export const putGuardians: Handler<typeof memberCalls.putGuardians> = async ({ path, body }, session) => {
  const { org_id } = session;
  const student_id = path.user_id;
  const ids = body.guardians.map(({ user_id }) => user_id);
  const student = await session.queryOne(HOLD_STUDENT, org_id, student_id);
  if (student === undefined) throw notFound('Member');
  const known = new Set((await session.query(HOLD, org_id, ids)).map(({ user_id }) => user_id));
  const errors = ids.flatMap((id, index): FieldProblem[] =>
    known.has(id) ? [] : [{ path: pathOf(index), message: 'is not in the directory' }],
  );
  if (errors.length > 0) throw unknownIds(errors);
  const before = await shownGuardians(session, student);
  session.run(CLEAR, org_id, student_id);
  session.insert(
    GUARDIAN,
    ...body.guardians.map(({ user_id, relation = null, money }, position) => ({
      org_id,
      student_id,
      user_id,
      relation,
      money,
      position,
    })),
  );
  deleteEndedGuardianFeeds(session, student_id);
  const after = await shownGuardians(session, student);
  const changes = changesOf(linksOf(before), linksOf(after));
  auditOrg(session, [{ action: 'update', entity: 'guardian', entity_id: student_id, reason: null, changes }]);
  return after;
};

export const listGuardians: Handler<typeof memberCalls.listGuardians> = async ({ path }, session) => {
  const student = await session.queryOne(STUDENT, session.org_id, path.user_id);
  if (student === undefined) throw notFound('Member');
  return shownGuardians(session, student);
};

/** Answers services that do not store links between guardians and students. */
export const getChildren: Handler<typeof clazzReferenceCalls.getChildren> = async ({ body }, session) => ({
  children: await session.query(CHILDREN, session.org_id, body.user_id),
});

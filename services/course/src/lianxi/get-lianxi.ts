import { Lianxi, lianxiCalls, notFound, type Output } from '@teaching/contracts';
import { always, p, prepared, type Session, statement } from '@teaching/kit';
import { accessOf } from './assignment.ts';
import { withoutKeys } from './content.rules.ts';
import { extensionOf, IN_FORCE } from './in-force.ts';
import { LIANXI } from './lianxi.table.ts';
import { NAMES, readNames } from './named.ts';
import { clazzesOfCaller } from './references.ts';

const SHOWN = LIANXI.wire(Lianxi.omit({ due_at: true, closes_at: true }));
const READ_AS_STUDENT = statement(
  `select ${SHOWN.of('l')}, ${IN_FORCE.due_at} as due_at, ${IN_FORCE.closes_at} as closes_at, ${NAMES.columns},
     l.key = 'after_release' and exists (select from submission s
       where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = $3 and s.status = 'released') as shows_keys
   from lianxi l ${extensionOf('$3')}
   where l.org_id = $1 and l.id = $2`,
  { ...SHOWN.shape, ...LIANXI.some('due_at', 'closes_at').shape, ...NAMES.shape, shows_keys: always(p.boolean()) },
);

type Shown = Output<typeof lianxiCalls.getLianxi>;

const forStaff = async (session: Session, id: string): Promise<Shown> => {
  const [it, named] = await Promise.all([session.find(LIANXI, id), readNames(session, id)]);
  if (it === undefined) throw notFound('Lianxi');
  return { ...it, ...named };
};

const forStudent = async (session: Session, id: string, clazz_ids: readonly string[]): Promise<Shown> => {
  const { user_id } = session.caller;
  const [access, found] = await Promise.all([
    accessOf(session, id, user_id, clazz_ids),
    session.one(READ_AS_STUDENT, session.org_id, id, user_id),
  ]);
  if (found === undefined || !session.reach.covers({ member: access.mayRead })) throw notFound('Lianxi');
  const { shows_keys, ...it } = found;
  return shows_keys ? it : { ...it, content: withoutKeys(it.content) };
};

export const getLianxi = prepared(lianxiCalls.getLianxi, {
  prepare: (_input, session) => clazzesOfCaller(session),
  run: ({ path }, session, clazz_ids) =>
    session.reach.goesBy('member') ? forStudent(session, path.id, clazz_ids) : forStaff(session, path.id),
});

import type { accessCalls, Relations, Role } from '@teaching/contracts';
import { type Handler, notNull, p, statement } from '@teaching/kit';
import { studentsTaughtBy } from '../hours/account-access.ts';
import { ENROLMENT_PERIOD } from '../record/record.tables.ts';
import { GUARDIAN } from './directory.tables.ts';
import { relationRoles } from './member.rules.ts';

const PERSON = { user_id: notNull(p.text()) };
const CHILDREN = statement(
  'select user_id, student_id from guardian where org_id = $1 and user_id = any($2::text[]) order by student_id',
  GUARDIAN.pick('user_id', 'student_id').shape,
);
const CLAZZES = statement(
  `select distinct s.user_id, p.clazz_id from unnest($2::text[]) as s (user_id) cross join lateral (
     select clazz_id from enrolment_period
     where org_id = $1 and student_id = s.user_id and during @> $3::timestamptz offset 0) p`,
  { ...PERSON, ...ENROLMENT_PERIOD.pick('clazz_id').shape },
);
// Without "offset 0" the students of the whole organization are read.
const TAUGHT = statement(
  `select distinct t.user_id, n.student_id from unnest($2::text[]) as t (user_id)
   cross join lateral (${studentsTaughtBy('$1', 't.user_id')} offset 0) n`,
  { ...PERSON, ...ENROLMENT_PERIOD.pick('student_id').shape },
);

type Person = { user_id: string; roles: readonly Role[] };

const idsOf = (people: readonly Person[], role: 'student' | 'guardian' | 'teacher'): string[] =>
  people.filter((person) => relationRoles(person)[role]).map(({ user_id }) => user_id);

const byPerson = <T extends { user_id: string }>(rows: readonly T[]) => {
  const groups = Map.groupBy(rows, ({ user_id }) => user_id);
  return (user_id: string): T[] => groups.get(user_id) ?? [];
};

/** The children, classes and students that the caller, or each of `people`, is related to now. */
export const audience: Handler<typeof accessCalls.audience> = async ({ body: { people } }, session) => {
  const { org_id, now, caller } = session;
  const all = people ?? [caller];
  const [guardians, teachers] = [idsOf(all, 'guardian'), idsOf(all, 'teacher')];
  const [children, taught] = await Promise.all([
    guardians.length === 0 ? [] : session.query(CHILDREN, org_id, guardians),
    teachers.length === 0 ? [] : session.query(TAUGHT, org_id, teachers),
  ]);
  const students = [...idsOf(all, 'student'), ...children.map(({ student_id }) => student_id)];
  const clazzes = students.length === 0 ? [] : await session.query(CLAZZES, org_id, [...new Set(students)], now);
  const [childrenOf, taughtBy, clazzesOf] = [byPerson(children), byPerson(taught), byPerson(clazzes)];
  // A person may be listed twice, with the roles of two tokens.
  const relationsOf = ({ user_id, roles }: Person): Relations => {
    const is = relationRoles({ roles });
    const ofGuardian = is.guardian ? childrenOf(user_id).map(({ student_id }) => student_id) : [];
    const clazz_ids = [...(is.student ? [user_id] : []), ...ofGuardian].flatMap(clazzesOf).map((row) => row.clazz_id);
    return {
      children: ofGuardian,
      clazz_ids: [...new Set(clazz_ids)],
      students: is.teacher ? taughtBy(user_id).map(({ student_id }) => student_id) : [],
    };
  };
  const own: Relations = people === undefined ? relationsOf(caller) : { children: [], clazz_ids: [], students: [] };
  return { ...own, ...(people === undefined ? {} : { people: people.map(relationsOf) }) };
};

import { courseEvents, type jihuaCalls, type JihuaRow } from '@teaching/contracts';
import { type Handler, localDate, nameColumns, type RowOf, type Session, statement, nextVersion } from '@teaching/kit';
import { JIHUA, JIHUA_STUDENT, lockJihuaWithDays } from './jihua-rows.ts';

const MEMBER = JIHUA_STUDENT.pick('student_id', 'since');
const DROP = statement(
  'delete from jihua_student where org_id = $1 and jihua_id = $2 and student_id <> all($3::text[])',
);
const ADD = statement(
  `insert into jihua_student (org_id, jihua_id, student_id, since)
   select $1, $2, s.id, $4::date from unnest($3::text[]) as s(id) order by s.id on conflict do nothing`,
);
const READ = statement(
  `select ${MEMBER.columns} from jihua_student where org_id = $1 and jihua_id = $2 order by student_id`,
  MEMBER.shape,
);

type Member = RowOf<typeof MEMBER.shape>;

/**
 * Replaces the students of a plan. A student who is already in the plan keeps the first day. `since` is for the others.
 */
export const replaceStudents = (
  session: Session,
  jihua_id: string,
  student_ids: readonly string[],
  since: string | null,
): void => {
  session.run(DROP, session.org_id, jihua_id, student_ids);
  session.run(ADD, session.org_id, jihua_id, student_ids, since);
};

const readMembers = (session: Session, jihua_id: string): Promise<Member[]> =>
  session.query(READ, session.org_id, jihua_id);

const studentName = nameColumns('s', 'student_id');
const READ_NAMED = statement(
  `select ${MEMBER.withAlias('s')}, ${studentName.columns} from jihua_student s where s.org_id = $1 and s.jihua_id = $2
   order by s.student_id`,
  { ...MEMBER.shape, ...studentName.shape },
);
/** The students of a plan with their names. */
export const readNamedMembers = (session: Session, jihua_id: string) =>
  session.query(READ_NAMED, session.org_id, jihua_id);

/** The day from which a student belongs to a plan. */
export const firstDayOf = (since: string | null, starts_on: string): string =>
  since === null || since < starts_on ? starts_on : since;

/** The fields about students in the answer to staff. */
export const memberFields = (members: readonly Member[], starts_on: string) => ({
  student_ids: members.map(({ student_id }) => student_id),
  students: members.map(({ student_id, since }) => ({ student_id, since: firstDayOf(since, starts_on) })),
});

/** The fields of `memberFields` with the names of the students. */
export const namedMemberFields = (members: Awaited<ReturnType<typeof readNamedMembers>>, starts_on: string) => {
  const student_names = members.map(({ student_name }) => student_name);
  const { student_ids, students } = memberFields(members, starts_on);
  const namedStudents = students.map((student, index) => ({ ...student, student_name: student_names[index] ?? null }));
  return { student_ids, student_names, students: namedStudents };
};

/** Column with the name of the teacher of the plan `j`. */
export const TEACHER_NAME = nameColumns('j', 'teacher_id');
const READ_TEACHER = statement(
  `select ${TEACHER_NAME.columns} from jihua j where j.org_id = $1 and j.id = $2`,
  TEACHER_NAME.shape,
);

/** Reads the fields for staff that are not in the plan's row: the name of its teacher, its students and their names. */
export const readJihuaNames = async (session: Session, { id, starts_on }: Pick<JihuaRow, 'id' | 'starts_on'>) => {
  const [teacher, members] = await Promise.all([
    session.queryOne(READ_TEACHER, session.org_id, id),
    readNamedMembers(session, id),
  ]);
  return { teacher_name: teacher?.teacher_name ?? null, ...namedMemberFields(members, starts_on) };
};

/**
 * Replaces the students of a plan. A new student belongs to it from the requested day; by default from today in the
 * plan's zone. The same list of students changes nothing.
 */
export const putJihuaStudents: Handler<typeof jihuaCalls.putJihuaStudents> = async ({ path, body }, session) => {
  const it = await lockJihuaWithDays(session, path.id);
  const { student_ids, since = null } = body;
  const first = since ?? localDate(session.now, it.zone);
  const before = new Map((await readMembers(session, it.id)).map((member) => [member.student_id, member]));
  const members = student_ids.map((student_id) => before.get(student_id) ?? { student_id, since: first });
  const fields = memberFields(members, it.starts_on);
  if (before.size === members.length && members.every((member) => before.has(member.student_id))) {
    return { ...it, ...(await readJihuaNames(session, it)) };
  }
  const answer = nextVersion(it, session);
  replaceStudents(session, it.id, student_ids, first);
  session.update(JIHUA, answer);
  session.emit(courseEvents.jihuaStudentsPut, it.id, { id: it.id, ...fields });
  return { ...answer, ...(await readJihuaNames(session, it)) };
};

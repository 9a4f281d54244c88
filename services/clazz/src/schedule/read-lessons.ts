import { type lessonCalls, notFound } from '@teaching/contracts';
import { notNull, equalsAnyOf, type Handler, p, pagedList, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { requireOwnStudent, toVisibleLesson } from '../record/access.rules.ts';
import { readClazz } from '../record/load-clazz.ts';
import { SHOWN_LESSON } from '../record/record.tables.ts';

/** SQL condition: students attend the lesson of the alias: as members of its class at its start, or as guests. */
export const isAttendedBy = (lesson: string): string => `${lesson}.id = any (array(
  select b.id from unnest(?::text[]) as w (student_id)
  cross join lateral (
    select * from enrolment_period where org_id = ? and student_id = w.student_id offset 0) p
  cross join lateral (
    select id from lesson where org_id = p.org_id and clazz_id = p.clazz_id and p.during @> starts_at offset 0) b
  union all
  select c.lesson_id from make_up_credit c
  where c.org_id = ? and c.student_id = any(?) and c.lesson_id is not null))`;
/** The parameters of `isAttendedBy`. */
export const attendedByParams = (org_id: string, students: readonly string[]) => [students, org_id, org_id, students];

/**
 * SQL condition: the lesson belongs to the person: as its teacher, an assistant of its class, a member of its class at
 * its start, or a guest.
 * Postgres finds the lessons by the person, so it reads no others.
 */
export const isOwnLesson = (org: string, user: string): string => `lesson.id = any (array(
  select t.id from lesson t where t.org_id = ${org} and t.teacher_id = ${user}
  union all
  select a.id from staff_period s
  cross join lateral (
    select id from lesson where org_id = s.org_id and clazz_id = s.clazz_id and s.during @> starts_at offset 0) a
  where s.org_id = ${org} and s.teacher_id = ${user} and s.role = 'assistant'
  union all
  select b.id from enrolment_period p
  cross join lateral (
    select id from lesson where org_id = p.org_id and clazz_id = p.clazz_id and p.during @> starts_at offset 0) b
  where p.org_id = ${org} and p.student_id = ${user}
  union all
  select c.lesson_id from make_up_credit c
  where c.org_id = ${org} and c.student_id = ${user} and c.lesson_id is not null))`;

const list = pagedList({
  ...SHOWN_LESSON,
  from: 'lesson',
  sorts: { starts_at: { by: 'starts_at', type: 'timestamptz' } },
  where: {
    clazz_id: 'clazz_id = ?',
    own: isOwnLesson('?', '?'),
    status: equalsAnyOf('status'),
    series_id: equalsAnyOf('series_id'),
    student_id: isAttendedBy('lesson'),
    from: 'ends_at > ?',
    to: 'starts_at < ?',
  },
});

/** The lessons of a class by start. */
export const listClazzLessons: Handler<typeof lessonCalls.listClazzLessons> = async (
  { path, query: { student_id: students, ...query } },
  session,
) => {
  const { id } = await readClazz(session, path.id);
  const { org_id, caller, access } = session;
  for (const one of students ?? []) access.requireAccess({ member: one }, 'Students may name only themselves');
  // A guardian names the child in order to read all lessons of the class, as the child does.
  const named = caller.guardian === undefined ? students : undefined;
  const student_id = named && attendedByParams(org_id, named);
  const found = await list(session, { ...query, sort: 'starts_at' }, { ...query, clazz_id: id, student_id });
  auditRead(session, 'lesson', [id]);
  return { ...found, items: found.items.map(toVisibleLesson(session.caller)) };
};

/** The caller's own lessons of all classes, by start. */
export const listMyLessons: Handler<typeof lessonCalls.listMyLessons> = async (
  { query: { student_id, ...query } },
  session,
) => {
  const { org_id, caller } = session;
  requireOwnStudent(session.access, student_id);
  const pair = [org_id, caller.user_id];
  const own = [...pair, ...pair, ...pair, ...pair];
  const found = await list(session, { ...query, sort: 'starts_at' }, { ...query, own });
  auditRead(
    session,
    'lesson',
    found.items.map((row) => row.clazz_id),
  );
  return { ...found, items: found.items.map(toVisibleLesson(caller)) };
};

const READ = statement(`select ${SHOWN_LESSON.columns} from lesson where org_id = $1 and id = $2`, SHOWN_LESSON.shape);
const IS_IN = statement(
  `select exists (select from lesson l join enrolment e on e.org_id = l.org_id and e.clazz_id = l.clazz_id
     where l.org_id = $1 and l.id = $2 and e.student_id = $3)
   or exists (select from make_up_credit c where c.org_id = $1 and c.lesson_id = $2 and c.student_id = $3) as found`,
  { found: notNull(p.boolean()) },
);

/**
 * A lesson that the caller may access: any for staff, for students those of classes in which they are or were enrolled
 * or guests. 404 for others.
 */
export const getLesson: Handler<typeof lessonCalls.getLesson> = async ({ path }, session) => {
  const { org_id, caller, access } = session;
  const id = path.lesson_id;
  const [found, own] = await Promise.all([
    session.queryOne(READ, org_id, id),
    access.isLimitedTo('member') ? session.queryOne(IS_IN, org_id, id, caller.user_id) : undefined,
  ]);
  if (found === undefined || !access.allows({ member: own?.found })) throw notFound('Lesson');
  auditRead(session, 'lesson', [found.clazz_id], found.id);
  return toVisibleLesson(caller)(found);
};

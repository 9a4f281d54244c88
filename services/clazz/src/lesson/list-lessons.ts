import type { Lesson, lessonCalls } from '@teaching/contracts';
import { type Filter, type Handler, isStaff, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { readClazz } from '../clazz/load-clazz.ts';
import { LESSON_COLUMNS, readLesson } from './read-lesson.ts';

const list = pagedList<Lesson, 'starts_at'>({
  columns: LESSON_COLUMNS,
  from: 'lesson',
  sorts: { starts_at: { by: 'starts_at', type: 'timestamptz' } },
});

const given = (condition: string, value: string | undefined): Filter[] =>
  value === undefined ? [] : [[condition, value]];
const within = (query: { from?: string | undefined; to?: string | undefined }): Filter[] => [
  ...given('ends_at > ?', query.from),
  ...given('starts_at < ?', query.to),
];

export const getLesson: Handler<typeof lessonCalls.get> = async ({ path }, session) => {
  const found = await readLesson(session, path.lesson_id);
  auditRead(session, 'lesson', [found.clazz_id], found.id);
  return found;
};

export const listLessons: Handler<typeof lessonCalls.list> = async ({ path, query }, session) => {
  const { id } = await readClazz(session, path.id);
  const found = await list(session, { ...query, sort: 'starts_at' }, [
    ['org_id = ?', session.org_id],
    ['clazz_id = ?', id],
    ...given('status = ?', query.status),
    ...given('series_id = ?', query.series_id),
    ...within(query),
  ]);
  auditRead(session, 'lesson', [id]);
  return found;
};

/** Taught by a teacher, or of a class they assist. */
const TAUGHT = `(teacher_id = ? or exists (select from staff_period s
  where s.org_id = lesson.org_id and s.clazz_id = lesson.clazz_id and s.teacher_id = ? and s.role = 'assistant'
    and s.during @> lesson.starts_at))`;
/** Of a class the student belongs to at its start. */
const ATTENDED = `exists (select from enrolment_period p
  where p.org_id = lesson.org_id and p.clazz_id = lesson.clazz_id and p.student_id = ? and p.during @> lesson.starts_at)`;

/** Which lessons are somebody's own. Staff may also be students. */
export const ownLessons = (user_id: string, staff: boolean): Filter =>
  staff ? [`(${TAUGHT} or ${ATTENDED})`, user_id, user_id, user_id] : [ATTENDED, user_id];

export const myLessons: Handler<typeof lessonCalls.my> = async ({ query }, session) => {
  const { caller, org_id } = session;
  const found = await list(session, { ...query, sort: 'starts_at' }, [
    ['org_id = ?', org_id],
    ownLessons(caller.user_id, isStaff(caller)),
    ...within(query),
  ]);
  auditRead(
    session,
    'lesson',
    found.items.map((row) => row.clazz_id),
  );
  return found;
};

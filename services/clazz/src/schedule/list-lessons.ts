import type { Lesson, lessonCalls } from '@teaching/contracts';
import { type Filter, type Handler, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { readClazz } from '../clazz/load-clazz.ts';
import { LESSON_COLUMNS, readLesson } from './load-lesson.ts';

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

/** Which lessons are somebody's own: the classes come first, so that only their lessons are looked at. */
export const OWN_LESSONS = (org: string, user: string): string => `(teacher_id = ${user}
  or (clazz_id = any (array(select clazz_id from staff_period
        where org_id = ${org} and teacher_id = ${user} and role = 'assistant'))
    and exists (select from staff_period s where s.org_id = ${org} and s.clazz_id = lesson.clazz_id
      and s.teacher_id = ${user} and s.role = 'assistant' and s.during @> lesson.starts_at))
  or (clazz_id = any (array(select clazz_id from enrolment_period where org_id = ${org} and student_id = ${user}))
    and exists (select from enrolment_period p where p.org_id = ${org} and p.clazz_id = lesson.clazz_id
      and p.student_id = ${user} and p.during @> lesson.starts_at))
  or lesson.id = any (array(select lesson_id from make_up_credit
        where org_id = ${org} and student_id = ${user} and lesson_id is not null)))`;
const own = OWN_LESSONS('?', '?');

/** Taught by a teacher, of a class they assist, of a class a student belongs to at its start, or one they make up in. */
const ownLessons = (org_id: string, user_id: string): Filter => {
  const pair = [org_id, user_id];
  return [own, user_id, ...pair, ...pair, ...pair, ...pair, ...pair];
};

export const myLessons: Handler<typeof lessonCalls.my> = async ({ query }, session) => {
  const { caller, org_id } = session;
  const found = await list(session, { ...query, sort: 'starts_at' }, [
    ['org_id = ?', org_id],
    ownLessons(org_id, caller.user_id),
    ...within(query),
  ]);
  auditRead(
    session,
    'lesson',
    found.items.map((row) => row.clazz_id),
  );
  return found;
};

import {
  type ShownClazz,
  clazzCalls,
  enrolmentCalls,
  type Lesson,
  lessonCalls,
  type Mark,
  type Request,
  type RollCall,
} from '../../../libs/contracts/src/index.ts';
import type { Api } from './api.ts';

export type NewClazzFields = Partial<Request<typeof clazzCalls.createClazz>['body']>;
export type LessonFields = Partial<Request<typeof lessonCalls.createLesson>['body']>;

const HOUR_MS = 3_600_000;
/** A time before every lesson of all tests. */
const LONG_AGO = '2020-01-01T00:00:00Z';

/** Creates a class; active by default. */
export const newClazz = async (
  supervisor: Api,
  fields: NewClazzFields = {},
  state: 'draft' | 'active' = 'active',
): Promise<ShownClazz> => {
  const body = { name: 'Algebra', lead_teacher_id: 'teacher-1', ...fields };
  const created = await supervisor.ok(clazzCalls.createClazz, { body });
  return state === 'draft' ? created : supervisor.ok(clazzCalls.activateClazz, { path: { id: created.id } });
};

/** Enrols students, since long before every lesson unless `since` is given. */
export const enrol = (api: Api, id: string, student_ids: string[], since = LONG_AGO) =>
  api.ok(enrolmentCalls.enrolStudents, { path: { id }, body: { student_ids, since } });

/** Creates an active class with these students, enrolled since long ago. Returns its id. */
export const clazzWith = async (
  supervisor: Api,
  student_ids: string[],
  fields: NewClazzFields = {},
): Promise<string> => {
  const { id } = await newClazz(supervisor, fields);
  if (student_ids.length > 0) await enrol(supervisor, id, student_ids);
  return id;
};

/** The request body for a lesson of one hour. */
export const oneHourLesson = (
  starts_at: string,
  fields: LessonFields = {},
): Request<typeof lessonCalls.createLesson>['body'] => ({
  starts_at,
  ends_at: new Date(Date.parse(starts_at) + HOUR_MS).toISOString(),
  ...fields,
});

export const lessonAt = (api: Api, id: string, starts_at: string, fields: LessonFields = {}): Promise<Lesson> =>
  api.ok(lessonCalls.createLesson, { path: { id }, body: oneHourLesson(starts_at, fields) });

/** The request for a roll call with a mark for each of these students. */
export const marking = (lesson_id: string, marks: Readonly<Record<string, Mark>>, more: { reason?: string } = {}) => ({
  path: { lesson_id },
  body: { marks: Object.entries(marks).map(([student_id, mark]) => ({ student_id, mark })), ...more },
});

/** The marks of a roll call by student. */
export const marksOf = ({ marks }: RollCall): Record<string, Mark | null> =>
  Object.fromEntries(marks.map(({ student_id, mark }) => [student_id, mark]));

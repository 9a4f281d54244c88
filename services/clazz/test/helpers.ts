import {
  type Clazz,
  clazzCalls,
  type Enrolment,
  enrolmentCalls,
  type lessonCalls,
  type Request,
} from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import type { Api } from '../../../tools/test/api.ts';

export type ClazzBody = Request<typeof clazzCalls.create>['body'];
export type LessonBody = Request<typeof lessonCalls.create>['body'];

/** A class; active unless said otherwise. */
export const newClazz = async (
  supervisor: Api,
  fields: Partial<ClazzBody> = {},
  state: 'draft' | 'active' = 'active',
): Promise<Clazz> => {
  const body = { name: 'Algebra', lead_teacher_id: 'teacher-1', ...fields };
  const created = await supervisor.ok(clazzCalls.create, { body });
  return state === 'draft' ? created : supervisor.ok(clazzCalls.activate, { path: { id: created.id } });
};

export const enrolled = async (api: Api, clazz_id: string, ...student_ids: string[]): Promise<Enrolment[]> =>
  (await api.ok(enrolmentCalls.enrol, { path: { id: clazz_id }, body: { student_ids } })).items;

/** Schedules a lesson of one hour. */
export const lessonAt = (api: Api, clazz_id: string, starts_at: string, fields: Partial<LessonBody> = {}) =>
  api.post(`/clazz/${clazz_id}/lesson`, {
    starts_at,
    ends_at: new Date(Date.parse(starts_at) + HOUR_MS).toISOString(),
    ...fields,
  });

import { type Enrolment, enrolmentCalls } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import type { Api } from '../../../tools/proofs/test/api.ts';
import type { LessonFields } from '../../../tools/proofs/test/clazz.ts';

export const enrolNow = async (api: Api, clazz_id: string, ...student_ids: string[]): Promise<Enrolment[]> =>
  (await api.ok(enrolmentCalls.enrolStudents, { path: { id: clazz_id }, body: { student_ids } })).items;

/** Requests a lesson of one hour and returns the answer. */
export const postLesson = (api: Api, clazz_id: string, starts_at: string, fields: LessonFields = {}) =>
  api.post(`/clazz/${clazz_id}/lesson`, {
    starts_at,
    ends_at: new Date(Date.parse(starts_at) + HOUR_MS).toISOString(),
    ...fields,
  });

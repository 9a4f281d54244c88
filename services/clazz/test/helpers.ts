import { expect } from 'vitest';
import type { Answer, Api } from '../../../tools/test/api.ts';

/** The body of an answer that must have this status. */
export const ok = (answer: Answer, status = 200): Answer['body'] => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
};

/** Expects a refusal by status and code. */
export const refused = (answer: Answer, status: number, code: string): Answer['body'] => {
  expect([answer.status, answer.body.code], JSON.stringify(answer.body)).toEqual([status, code]);
  return answer.body;
};

/** A class; active unless said otherwise. */
export const newClazz = async (
  supervisor: Api,
  fields: Record<string, unknown> = {},
  state: 'draft' | 'active' = 'active',
): Promise<Answer['body']> => {
  const created = ok(
    await supervisor.post('/clazz', { name: 'Algebra', lead_teacher_id: 'teacher-1', ...fields }),
    201,
  );
  return state === 'draft' ? created : ok(await supervisor.post(`/clazz/${created.id}/activate`));
};

export const enrolled = async (api: Api, clazz_id: string, ...student_ids: string[]): Promise<Answer['body']> =>
  ok(await api.post(`/clazz/${clazz_id}/student`, { student_ids }), 201);

export const lessonAt = (api: Api, clazz_id: string, starts_at: string, fields: Record<string, unknown> = {}) =>
  api.post(`/clazz/${clazz_id}/lesson`, {
    starts_at,
    ends_at: new Date(Date.parse(starts_at) + 3_600_000).toISOString(),
    ...fields,
  });

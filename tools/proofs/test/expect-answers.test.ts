import { Problem, problemDocument } from '../../../libs/contracts/src/index.ts';
import { expect, expectTypeOf, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from './expect-answers.ts';
import type { Answer } from './api.ts';

const REQUEST = '01900000-0000-7000-8000-00000000000a';
const answer = <B extends object>(status: number, body: B, type = 'application/json'): Answer<B> => ({
  request: { method: 'POST', path: '/api/v1/clazz', body: '{"name":"x"}' },
  status,
  headers: new Headers({ 'content-type': type, 'x-request-id': REQUEST }),
  body,
});
const problem = (error: Problem) => answer(error.status, problemDocument(error, REQUEST), 'application/problem+json');
const full = problem(new Problem('clazz_full', { detail: '0 free seat(s)', members: { free_seats: 0 } }));
const created = answer(201, { id: 'a' });
/** The message of an error, and the line of the test in its stack. */
const failureOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [frame = ''] = /\n +at .*/.exec(error.stack?.slice(error.message.length) ?? '') ?? [];
    return error.message + frame;
  }
  throw new Error('the function threw no error');
};

it('returns the body of a success with the type of the answer', () => {
  const body = expectOk(created, 201);
  expect(body).toEqual({ id: 'a' });
  expectTypeOf(body).toEqualTypeOf<{ id: string }>();
});

it('returns the members of a refusal', () => {
  expect(expectRefusal(full, 409, 'clazz_full').free_seats).toBe(0);
});

it('throws an error with request, answer and the line of the test', () => {
  const message = failureOf(() => expectOk(full, 201));
  expect(message).toContain('POST /api/v1/clazz returned 409; expected 201\n  sent: {"name":"x"}');
  expect(message).toContain('"detail":"0 free seat(s)"');
  expect(message).toContain('answers.test.ts');
  expect(failureOf(() => expectOk(created))).toContain('returned 201; expected 200');
  expect(failureOf(() => expectRefusal(created, 409, 'clazz_full'))).toContain('expected 409 clazz_full');
  expect(failureOf(() => expectRefusal(full, 409, 'duplicate'))).toContain('expected duplicate');
});

it('returns the sorted outcomes of several requests', () => {
  expect(codesOf([full, created])).toEqual(['201', '409 clazz_full']);
});

import { Problem, problemDocument } from '../../../libs/contracts/src/index.ts';
import { expect, expectTypeOf, it } from 'vitest';
import { codesOf, expectOk, expectRefusal } from './expect-answers.ts';
import type { Answer } from './api.ts';

const REQUEST = '01900000-0000-7000-8000-00000000000a';
const answer = <B extends object>(status: number, body: B, type = 'application/json'): Answer<B> => ({
  asked: { method: 'POST', path: '/api/v1/clazz', body: '{"name":"x"}' },
  status,
  headers: new Headers({ 'content-type': type, 'x-request-id': REQUEST }),
  body,
});
const problem = (it: Problem) => answer(it.status, problemDocument(it, REQUEST), 'application/problem+json');
const full = problem(new Problem('clazz_full', { detail: '0 free seat(s)', members: { free_seats: 0 } }));
const created = answer(201, { id: 'a' });
/** An error's message, and the line of the test that it points to. */
const failureOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [frame = ''] = /\n +at .*/.exec(error.stack?.slice(error.message.length) ?? '') ?? [];
    return error.message + frame;
  }
  throw new Error('an error was expected');
};

it('gives the body of success, typed as the answer is', () => {
  const body = expectOk(created, 201);
  expect(body).toEqual({ id: 'a' });
  expectTypeOf(body).toEqualTypeOf<{ id: string }>();
});

it('gives the members of a refusal', () => {
  expect(expectRefusal(full, 409, 'clazz_full').free_seats).toBe(0);
});

it('tells the whole story of what came instead', () => {
  const story = failureOf(() => expectOk(full, 201));
  expect(story).toContain('POST /api/v1/clazz answered 409; 201 was expected\n  sent: {"name":"x"}');
  expect(story).toContain('"detail":"0 free seat(s)"');
  expect(story).toContain('answers.test.ts');
  expect(failureOf(() => expectOk(created))).toContain('answered 201; 200 was expected');
  expect(failureOf(() => expectRefusal(created, 409, 'clazz_full'))).toContain('409 clazz_full was expected');
  expect(failureOf(() => expectRefusal(full, 409, 'duplicate'))).toContain('duplicate was expected');
});

it('says how many requests came out, sorted', () => {
  expect(codesOf([full, created])).toEqual(['201', '409 clazz_full']);
});

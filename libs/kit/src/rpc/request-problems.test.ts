import { leaveCalls, memberCalls } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { createSigner } from '../base/signer.ts';
import type { IdentifiedHead } from './call-identity.ts';
import { invalid } from './parse-input.ts';
import { requestProblems, withForgedValues } from './request-problems.ts';

const signer = createSigner('a secret of at least thirty-two characters');
const head: IdentifiedHead = {
  org_id: '01900000-0000-7000-8000-000000000001',
  user_id: 'ann',
  roles: ['TEACHER'],
  request_id: 'r',
  deadline: 0,
};
const LIMIT = { path: '/query/limit', message: 'must be from 1 to 100' };
const CURSOR = { path: '/query/cursor', message: 'is not a cursor of this list' };

it.each([
  ['alone', [], 'Idempotency-Key must have 1 to 255 characters. 1 problem in the request'],
  ['beside another problem', [LIMIT], 'Idempotency-Key must have 1 to 255 characters. 2 problems in the request'],
])('a forged cursor is named beside an Idempotency-Key that is too long, %s', (_which, errors, detail) => {
  const asked = { ...head, query: 'cursor=forged', idempotency_key: 'k'.repeat(256) };
  const { detail: ofKey } = requestProblems(memberCalls.listMembers, asked, { path: {}, query: {}, body: undefined });
  expect(withForgedValues(invalid(errors, ofKey), memberCalls.listMembers, asked, signer)).toMatchObject({
    extra: { detail, errors: [...errors, CURSOR] },
  });
});

it.each([
  ['is missing', {}, ['is required from staff']],
  ['is null', { student_id: null }, ['is required from staff']],
  ['is no text, which the schema refuses', { student_id: 5 }, []],
])('the student that staff must name %s', (_what, body, messages) => {
  const { errors } = requestProblems(leaveCalls.requestLeave, head, { path: {}, query: {}, body });
  expect(errors.map(({ message }) => message)).toEqual(messages);
});

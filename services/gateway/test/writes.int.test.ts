import { randomUUID } from 'node:crypto';
import { type AnyCall, allCalls, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Outcome } from '../../../tools/test/calls.ts';
import { contentsOf } from '../../../tools/test/contents.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../tools/test/one-of-each.ts';
import { requestTo } from './requests.ts';

let fixture: Fixture;
let our: OneOfEach;
beforeAll(async () => {
  fixture = await startFixture();
  our = await oneOfEach(fixture);
});
afterAll(() => fixture?.stop());

const boss = () => fixture.as({ role: [...ROLES], sub: our.student });
/** What makes something comes first, what ends or removes something last: so most of it is possible. */
const ENDS = ['clazz.clazz.complete', 'clazz.enrolment.withdraw', 'clazz.lesson.cancel', 'clazz.clazz.cancel'];
const turn = ({ id, status, http }: AnyCall): number => {
  if (http?.method === 'DELETE') return ENDS.length + 2;
  return status === 201 ? 0 : ENDS.indexOf(id) + 2;
};
const writes = allCalls.filter((call) => call.http !== null && call.writes).toSorted((a, b) => turn(a) - turn(b));

/** Without what is written down later by those who follow. */
const stored = async (): Promise<unknown> => {
  const tables = Object.entries(await contentsOf(fixture, fixture.org));
  return tables.filter(
    ([name]) => !/^stats\.|^course\.member$|\.log_(?!entry)|clazz\.(clazz_audit_log|audit_\w+)$/.test(name),
  );
};
const answerIn = (outcome: Outcome<AnyCall>) => ({
  code: outcome.code,
  status: outcome.status,
  body: outcome.code === 'done' ? outcome.body : null,
  etag: outcome.headers.get('etag'),
  token: outcome.headers.get('x-consistency-token'),
});

it('whoever changes what is not as they know it is refused, on every call that says so, and on every PATCH', async () => {
  const guarded = writes.filter((call) => call.errors.includes('version_mismatch'));
  expect(guarded).toEqual(expect.arrayContaining(writes.filter(({ http }) => http?.method === 'PATCH')));
  const before = await stored();
  const taken: string[] = [];
  for (const call of guarded) {
    const { code } = await boss().outcome(call, requestTo(call, our), { 'if-match': '"999999"' });
    if (code !== 'version_mismatch') taken.push(`${call.id}: ${code}`);
  }
  expect(taken).toEqual([]);
  expect(await stored()).toEqual(before);
});

it('whatever has a version carries it as its ETag', async () => {
  const Versioned = z.looseObject({ version: z.int() });
  const carried: string[] = [];
  for (const call of allCalls.filter(({ http }) => http?.method === 'GET')) {
    const outcome = await boss().outcome(call, requestTo(call, our));
    const { data } = Versioned.safeParse(outcome.code === 'done' ? outcome.body : null);
    if (data === undefined) continue;
    expect(outcome.headers.get('etag'), call.id).toBe(`"${data.version}"`);
    carried.push(call.id);
  }
  expect(carried).toEqual(expect.arrayContaining(['package.package.get', 'course.course.get', 'clazz.clazz.get']));
});

it(
  'every write takes an Idempotency-Key: sent again it is answered as before and has no second effect',
  { timeout: 90_000 },
  async () => {
    const [done, refused]: [string[], number[]] = [[], []];
    for (const call of writes) {
      const key = { 'idempotency-key': randomUUID() };
      const first = await boss().outcome(call, requestTo(call, our), key);
      if (first.code !== 'done') {
        refused.push(first.status);
        continue;
      }
      const before = await stored();
      const again = await boss().outcome(call, requestTo(call, our), key);
      expect(answerIn(again), call.id).toEqual(answerIn(first));
      expect(await stored(), call.id).toEqual(before);
      done.push(call.id);
    }
    // Not everything is possible in one story; what was refused has no effect that could come twice.
    expect(done.length).toBeGreaterThan(40);
    expect(refused.filter((status) => status !== 409 && status !== 400)).toEqual([]);
  },
);

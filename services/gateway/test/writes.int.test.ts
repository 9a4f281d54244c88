import { randomUUID } from 'node:crypto';
import { ALL_ROLES, type AnyCall, allCalls, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Outcome } from '../../../tools/proofs/test/calls.ts';
import { contentsOf } from '../../../tools/proofs/test/contents.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { OneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import { readyRequest } from './scene/ready-request.ts';
import { type Scene, createScene } from './scene/scene.ts';
import { requestTo } from './contract-requests.ts';

let fixture: Fixture;
let scene: Scene;
let our: OneOfEach;
beforeAll(async () => {
  fixture = await startFixture();
  scene = await createScene(fixture);
  our = scene.our;
});
afterAll(() => fixture?.stop());

const boss = () => fixture.as({ role: [...ROLES], sub: our.student });
const writes = allCalls.filter((call) => call.http !== null && call.writes);

/** Without the rows that followers write later. */
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

it('every PATCH, and every call with this code, refuses a change based on an old version', async () => {
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

it('every write refuses an Idempotency-Key that is too long, and names the other problems too', async () => {
  const before = await stored();
  const taken: string[] = [];
  for (const call of writes) {
    const { path, query, body } = requestTo(call, our);
    const request = { path, body, query: { ...query, unknown: 'x' } };
    const outcome = await boss().outcome(call, request, { 'idempotency-key': 'x'.repeat(256) });
    const { detail = '', errors = [] } = (outcome.code === 'done' ? undefined : outcome.problem) ?? {};
    const isNamed = detail.startsWith('Idempotency-Key') && errors.some((error) => error.path === '/query/unknown');
    if (outcome.code !== 'invalid_request' || !isNamed) taken.push(`${call.id}: ${outcome.code} ${detail}`);
  }
  expect(taken).toEqual([]);
  expect(await stored()).toEqual(before);
});

it('every record with a version has it as its ETag', async () => {
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
  'every write with an Idempotency-Key that is sent again has the same answer and no second effect',
  { timeout: 90_000 },
  async () => {
    for (const call of writes) {
      const role = ALL_ROLES.find((one) => call.roles.includes(one)) ?? 'SUPERVISOR';
      const [api, key] = [scene.as(role), { 'idempotency-key': randomUUID() }];
      const request = await readyRequest(scene, call, role);
      const first = await api.outcome(call, request, key);
      expect(first.code, call.id).toBe('done');
      const before = await stored();
      expect(answerIn(await api.outcome(call, request, key)), call.id).toEqual(answerIn(first));
      expect(await stored(), call.id).toEqual(before);
    }
  },
);

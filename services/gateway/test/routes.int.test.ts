import { randomUUID } from 'node:crypto';
import { ALL_ROLES, type AnyCall, allCalls, type Role, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { untilServed } from '../../../tools/test/answers.ts';
import type { Api } from '../../../tools/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/test/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const routed = allCalls.filter((call) => call.http !== null);
const closed = routed.filter((call) => call.who !== 'anyone');
const isAllowed = ({ who }: AnyCall, role: Role): boolean => Array.isArray(who) && who.includes(role);
const CALLER = 'somebody';
/** A teacher sees the hours of whom they teach, and this one teaches nobody. */
const OF_THE_TAUGHT = ['clazz.hour.account', 'clazz.hour.list_entries'];

/** Ids that nothing has. A person is the caller: everybody may see their own. */
const pathOf = (call: AnyCall): Record<string, string> =>
  Object.fromEntries(
    Object.keys(call.path.shape).map((name) => {
      if (name === 'student_id') return [name, CALLER];
      return [name, name === 'number' ? '1' : randomUUID()];
    }),
  );

/** How each call came out that did not come out well. */
const amiss = async (api: Api, calls: readonly AnyCall[], isWell: (call: AnyCall, code: string) => boolean) => {
  const outcomes = await Promise.all(
    calls.map(async (call) => ({
      call,
      ...(await untilServed(() => api.outcome(call, { path: pathOf(call), query: {} }))),
    })),
  );
  return outcomes.filter(({ call, code }) => !isWell(call, code)).map(({ call, code }) => `${call.id}: ${code}`);
};

/** Every route of the contracts, whoever adds it: tried without a token, with each role, with ids of nothing. */
describe('every route', () => {
  it('exists once', () => {
    const shapes = routed.map(({ http }) => `${http?.method} ${http?.path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  it('answers 401 without a token', async () => {
    expect(await amiss(fixture.raw(), closed, (_call, code) => code === 'unauthenticated')).toEqual([]);
  });

  it.each(ALL_ROLES)('answers 403 to a %s exactly where the contract does not name the role', async (role) => {
    // Who may call is answered, or told what is wrong with the request, or that there is no such thing.
    const isHeard = (call: AnyCall, code: string): boolean =>
      code === 'done' ||
      code === 'invalid_request' ||
      (code === 'not_found' && Object.keys(call.path.shape).length > 0);
    const isWell = (call: AnyCall, code: string): boolean => {
      const isHidden = role === 'TEACHER' && OF_THE_TAUGHT.includes(call.id);
      return isAllowed(call, role) && !isHidden ? isHeard(call, code) : code === 'forbidden';
    };
    expect(await amiss(fixture.as({ role, sub: CALLER }), closed, isWell)).toEqual([]);
  });

  it('with an id that does not exist answers 404, 400 for its input or an empty page, never more', async () => {
    const api = fixture.as({ role: [...ROLES], org: randomUUID(), sub: CALLER });
    const reads = closed.filter(({ http }) => http?.method === 'GET' && http.path.includes('{'));
    expect(reads.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const call of reads) {
      const outcome = await api.outcome(call, { path: pathOf(call), query: {} });
      const isEmpty = outcome.code === 'done' && Object.keys(call.path.shape).join('') === 'student_id';
      if (!isEmpty && !['not_found', 'invalid_request'].includes(outcome.code)) wrong.push(call.id);
    }
    expect(wrong).toEqual([]);
  });

  it('stands in the OpenAPI document', async () => {
    const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
    const { paths } = Document.parse((await fixture.raw().get('//openapi.json')).body);
    const missing = routed.filter(
      ({ http }) => paths[http?.path ?? '']?.[http?.method.toLowerCase() ?? ''] === undefined,
    );
    expect(missing).toEqual([]);
  });
});

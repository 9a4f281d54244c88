import { randomUUID } from 'node:crypto';
import { type AnyCall, allCalls, ROLES } from '@teaching/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { type OneOfEach, oneOfEach } from '../../../tools/proofs/test/one-of-each.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { requestTo } from './contract-requests.ts';

let fixture: Fixture;
let our: OneOfEach;
beforeAll(async () => {
  fixture = await startFixture();
  our = await oneOfEach(fixture);
});
afterAll(() => fixture?.stop());

const Page = z.looseObject({ items: z.array(z.unknown()), next_cursor: z.string().nullable() });
const lists = allCalls.filter((call) => call.http !== null && 'cursor' in call.query.shape);

const pageOf = async (api: Api, call: AnyCall, limit: string, cursor?: string) => {
  const { path, query } = requestTo(call, our);
  return Page.parse(await api.ok(call, { path, query: { ...query, limit, cursor } }));
};
const textOf = (row: unknown): string => JSON.stringify(row);

it.each([
  ['the supervisor', 'supervisor-1'],
  ['the student', 'ann'],
])('every list of %s returns each item once over its pages', async (_who, sub) => {
  const api = fixture.as({ role: [...ROLES], sub });
  const long: string[] = [];
  for (const call of lists) {
    const all = (await pageOf(api, call, '100')).items.map(textOf);
    const seen: string[] = [];
    for await (const rows of pagesOf((cursor) => pageOf(api, call, '1', cursor))) {
      expect(rows.length, call.id).toBeLessThanOrEqual(1);
      seen.push(...rows.map(textOf));
    }
    // Reading a class adds entries to the front of its audit log: older entries are found once and in order.
    expect(
      seen.filter((row) => all.includes(row)),
      call.id,
    ).toEqual(all);
    expect(new Set(seen).size, call.id).toBe(seen.length);
    if (all.length > 1) long.push(call.id);
  }
  expect(long.length).toBeGreaterThan(5);
});

it('no list accepts a changed cursor or the cursor of another organization or list', async () => {
  const [api, stranger] = [
    fixture.as({ role: [...ROLES] }),
    fixture.as({ role: [...ROLES], sub: 'supervisor-1', org: randomUUID() }),
  ];
  const cursors: [AnyCall, string][] = [];
  for (const call of lists) {
    const { next_cursor } = await pageOf(api, call, '1');
    if (next_cursor !== null) cursors.push([call, next_cursor]);
  }
  expect(cursors.length).toBeGreaterThan(5);
  for (const [call, cursor] of cursors) {
    const { path, query } = requestTo(call, our);
    const [, foreign] = cursors.find(([other]) => other !== call) ?? [];
    const refused = (by: Api, wrong: string | undefined) =>
      by.refused(call, { path, query: { ...query, limit: '1', cursor: wrong } });
    for (const problem of [
      await refused(api, `${cursor}A`),
      await refused(api, cursor.slice(0, -1)),
      await refused(api, foreign),
    ]) {
      expect(problem, call.id).toMatchObject({ code: 'invalid_request', errors: [{ path: '/query/cursor' }] });
    }
    expect(['invalid_request', 'not_found'], call.id).toContain((await refused(stranger, cursor)).code);
  }
});

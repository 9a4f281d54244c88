import { randomUUID } from 'node:crypto';
import { memberCalls, refusalCalls, type Refused, roomCalls } from '@teaching/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCaller, type TestCaller } from '../../../libs/kit/test/test-caller.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { peopleOf } from '../../../tools/proofs/test/people.ts';
import { POLL_OPTIONS } from '../../../tools/proofs/test/poll-options.ts';
import { STORED_PER_ORGANIZATION } from '../src/refusal/refusals.ts';

let fixture: Fixture;
let gateway: TestCaller;
const OLD = randomUUID();
const { supervisor, student, stranger } = peopleOf(() => fixture);
const FILL = `
  insert into clazz.refusal (org_id, id, first_at, last_at, count, status, reason)
  select $1, gen_random_uuid(), $2::timestamptz + n * interval '1 second', now(), 1, 403, 'forbidden'
  from generate_series(1, $3) as n`;

beforeAll(async () => {
  fixture = await startFixture({ services: [] });
  const old = new Date(Date.now() - 31 * 86_400_000);
  await fixture.sql(FILL, [OLD, old, 1_500]);
  await fixture.sql(FILL, [OLD, new Date(Date.now() - 29 * 86_400_000), 3]);
  await fixture.startService('clazz');
  gateway = await connectCaller(fixture);
});
afterAll(async () => {
  await gateway?.stop();
  await fixture?.stop();
});

const counted = async (org: string): Promise<number> =>
  (await fixture.sql('select from clazz.refusal where org_id = $1', [org])).length;
const row = (more: Partial<Refused> = {}): Refused => ({
  id: randomUUID(),
  org_id: fixture.org,
  first_at: '2026-03-01T12:00:00.000Z',
  last_at: '2026-03-01T12:00:30.000Z',
  count: 2,
  user_id: 'eve',
  method: 'GET',
  route: '/api/v1/ws/course',
  status: 403,
  reason: 'forbidden',
  address: '192.0.2.1',
  ...more,
});
const reportRefusals = async (...refused: Refused[]) =>
  (await gateway.performCall(refusalCalls.keep, { refused })).head.status;
const listed = (query: Record<string, string> = {}, org = fixture.org) =>
  fixture.as({ role: 'SUPERVISOR', org }).ok(refusalCalls.listRefusals, { query });

describe('refused requests', () => {
  it('are listed for supervisors of the organization with person, route, reason, address and count', async () => {
    const members = [{ user_id: 'nosy', role: 'STUDENT', display_name: 'Nosy Parker' } as const];
    await supervisor().ok(memberCalls.putMembers, { body: { members } });
    const id = randomUUID();
    for (let n = 0; n < 3; n += 1) await student('nosy').refused(roomCalls.createRoom, { body: { name: 'x' } });
    await student('nosy').refused(memberCalls.getMember, { path: { user_id: id } });
    await supervisor().refused(roomCalls.getRoom, { path: { id } });
    await stranger().refused(roomCalls.getRoom, { path: { id } });
    await fixture.raw().get('/clazz/room');
    const sum = async () => (await listed()).items.reduce((so_far, { count }) => so_far + count, 0);
    await expect.poll(sum, POLL_OPTIONS).toBe(5);
    const { items } = await listed();
    for (const one of items) expect(one).toMatchObject({ address: '127.0.0.1', org_id: fixture.org });
    const of = (user: string) => items.filter(({ user_id }) => user_id === user);
    for (const one of of('nosy')) expect(one.display_name).toBe('Nosy Parker');
    const notFound = { method: 'GET', status: 404, reason: 'not_found', count: 1 };
    expect(of('supervisor-1')).toMatchObject([{ ...notFound, display_name: null, route: '/api/v1/clazz/room/:id' }]);
    expect(of('nosy').filter(({ status }) => status === 404)).toMatchObject([
      { ...notFound, route: '/api/v1/ws/member/:user_id' },
    ]);
    const forbidden = of('nosy').filter(({ status }) => status === 403);
    const routes = forbidden.map(({ method, route, reason }) => `${reason} ${method} ${route}`);
    // The requests may fall into two minutes, which have a row each.
    expect(new Set(routes)).toEqual(new Set(['forbidden POST /api/v1/clazz/room']));
    expect(of('nosy').length + of('supervisor-1').length).toBe(items.length);
    expect(JSON.stringify(items)).not.toContain(id);
    expect((await student('nosy').refused(refusalCalls.listRefusals)).code).toBe('forbidden');
    expect((await stranger().ok(refusalCalls.listRefusals)).items).toEqual([]);
  });

  it('are filtered by time, person and reason, and paged newest first', async () => {
    const org = randomUUID();
    const at = (minute: number) => ({ first_at: `2026-03-01T12:0${minute}:00.000Z`, org_id: org });
    const rows = [
      row(at(1)),
      row({ ...at(2), user_id: 'bob' }),
      row({ ...at(3), reason: 'rate_limited', status: 429 }),
      row({ ...at(4), user_id: null, method: null, route: null, address: null }),
    ];
    expect(await reportRefusals(...rows)).toBe(204);
    const found = async (query: Record<string, string>) =>
      (await listed(query, org)).items.map(({ id }) => rows.findIndex((one) => one.id === id));
    expect(await found({})).toEqual([3, 2, 1, 0]);
    expect(await found({ sort: 'first_at' })).toEqual([0, 1, 2, 3]);
    expect(await found({ user_id: 'bob' })).toEqual([1]);
    expect(await found({ user_id: 'bob,eve' })).toEqual([2, 1, 0]);
    expect(await found({ reason: 'rate_limited' })).toEqual([2]);
    expect(await found({ from: rows[1]?.first_at ?? '', to: rows[3]?.first_at ?? '' })).toEqual([2, 1]);
    const { items, next_cursor } = await listed({ limit: '3' }, org);
    expect([items.length, await found({ limit: '3', cursor: next_cursor ?? '' })]).toEqual([3, [0]]);
  });

  it('are stored once with their latest count when they are reported again, late or in parallel', async () => {
    const org_id = randomUUID();
    const reported = Array.from({ length: 20 }, () => row({ org_id }));
    const updated = reported.map((one) => ({ ...one, count: 7, last_at: '2026-03-01T12:00:50.000Z' }));
    expect(
      await Promise.all([
        reportRefusals(...reported),
        reportRefusals(...updated.toReversed()),
        reportRefusals(...reported),
        reportRefusals(...updated),
      ]),
    ).toEqual([204, 204, 204, 204]);
    expect(await reportRefusals(...reported)).toBe(204);
    const { items } = await listed({ limit: '100' }, org_id);
    expect(items.map(({ id }) => id).toSorted()).toEqual(reported.map(({ id }) => id).toSorted());
    for (const one of items) expect(one).toMatchObject({ count: 7, last_at: '2026-03-01T12:00:50.000Z' });
  });

  it('are stored up to a maximum per organization, which drops the oldest', async () => {
    const [flooded, quiet] = [randomUUID(), randomUUID()];
    for (const [org, rows] of [[flooded, STORED_PER_ORGANIZATION + 50] as const, [quiet, 5] as const])
      await fixture.sql(FILL, [org, new Date('2026-01-01T00:00:00Z'), rows]);
    const newest = row({ org_id: flooded });
    expect(await reportRefusals(newest, row({ org_id: quiet }))).toBe(204);
    expect([await counted(flooded), await counted(quiet)]).toEqual([STORED_PER_ORGANIZATION, 6]);
    expect((await listed({ limit: '1' }, flooded)).items[0]?.id).toBe(newest.id);
  });

  it('are stored for 30 days', async () => {
    await expect.poll(() => counted(OLD), POLL_OPTIONS).toBe(3);
  });

  it('are removed with the erasure of their person', async () => {
    expect(await reportRefusals(row({ user_id: 'gone' }), row({ user_id: 'stays' }))).toBe(204);
    const other = row({ org_id: randomUUID(), user_id: 'gone' });
    expect(await reportRefusals(other)).toBe(204);
    const rest = await fixture.startService('course');
    await supervisor().ok(memberCalls.eraseMember, { path: { user_id: 'gone' }, body: { reason: 'asked for it' } });
    expect((await listed({ user_id: 'gone,stays' })).items.map(({ user_id }) => user_id)).toEqual(['stays']);
    expect(await counted(other.org_id)).toBe(1);
    expect(rest).toBeDefined();
  });

  it('are reported only by gateways', async () => {
    const { head } = await gateway.performCall(refusalCalls.keep, { refused: [] });
    expect(head.status).toBe(400);
    expect((await fixture.raw().post('/ws/refusal', {})).status).toBe(405);
  });
});

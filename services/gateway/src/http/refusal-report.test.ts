import { MOST_REFUSALS } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { type RefusedRequest, RefusalCounts } from './refusal-report.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const ORG = '01900000-0000-7000-8000-000000000001';
const refused = (more: Partial<RefusedRequest> = {}): RefusedRequest => ({
  org_id: ORG,
  user_id: 'ann',
  method: 'GET',
  route: '/api/v1/ws/course',
  status: 403,
  reason: 'forbidden',
  address: '192.0.2.1',
  ...more,
});
const counting = (...ones: [RefusedRequest, number][]): RefusalCounts => {
  const counts = new RefusalCounts();
  for (const [one, at] of ones) counts.add(one, at);
  return counts;
};

describe('Refusals', () => {
  it('are counted by person, route, reason, address and minute', () => {
    const others: Partial<RefusedRequest>[] = [
      { user_id: 'bob' },
      { method: 'PUT' },
      { route: null },
      { status: 404 },
      { reason: 'not_found' },
      { address: '192.0.2.2' },
      { org_id: ORG.replace('1', '2') },
    ];
    const counts = counting([refused(), NOON], [refused(), NOON + 59_999], [refused(), NOON + 60_000]);
    for (const other of others) counts.add(refused(other), NOON);
    const [first, ...rest] = counts.unsavedRows();
    expect(first).toMatchObject({
      ...refused(),
      count: 2,
      first_at: '2026-03-01T12:00:00.000Z',
      last_at: '2026-03-01T12:00:59.999Z',
    });
    expect(rest.map(({ count }) => count)).toEqual([1, ...others.map(() => 1)]);
    expect(new Set([first, ...rest].map((row) => row?.id)).size).toBe(others.length + 2);
  });

  it('are sent again, as the same row, only when their count has grown', () => {
    const counts = counting([refused(), NOON]);
    const [row] = counts.unsavedRows();
    counts.add(refused(), NOON);
    counts.kept(row === undefined ? [] : [row], NOON);
    expect(counts.unsavedRows()).toMatchObject([{ id: row?.id, count: 2 }]);
    counts.kept(counts.unsavedRows(), NOON);
    expect(counts.unsavedRows()).toEqual([]);
    counts.add(refused(), NOON);
    expect(counts.unsavedRows()).toMatchObject([{ id: row?.id, count: 3 }]);
  });

  it('of a past minute are deleted only after they are stored', () => {
    const later = NOON + 60_000;
    const counts = counting([refused(), NOON]);
    counts.kept([], later);
    expect(counts.unsavedRows()).toHaveLength(1);
    counts.kept(counts.unsavedRows(), later);
    counts.add(refused(), NOON);
    expect(counts.unsavedRows()).toMatchObject([{ count: 1 }]);
  });

  it('of one organization share one row after a hundred different ones, without effect on other organizations', () => {
    const counts = new RefusalCounts();
    for (let n = 0; n < 250; n += 1) counts.add(refused({ user_id: `u${n}` }), NOON);
    counts.add(refused({ user_id: 'u7' }), NOON);
    counts.add(refused({ org_id: ORG.replace('1', '2') }), NOON);
    const rows = counts.unsavedRows();
    expect(rows).toHaveLength(102);
    expect(rows.find(({ user_id }) => user_id === 'u7')?.count).toBe(2);
    const together = { user_id: null, method: null, route: null, address: null, reason: 'forbidden', count: 150 };
    expect(rows.filter(({ user_id }) => user_id === null)).toMatchObject([together]);
  });

  it('use at most as many rows as one call takes, and free them once stored', () => {
    const orgs = Array.from(
      { length: MOST_REFUSALS + 50 },
      (_, n) => `${ORG.slice(0, -4)}${String(n).padStart(4, '0')}`,
    );
    const counts = new RefusalCounts();
    for (const org_id of orgs) counts.add(refused({ org_id }), NOON);
    expect(counts.unsavedRows()).toHaveLength(MOST_REFUSALS);
    counts.kept(counts.unsavedRows(), NOON + 60_000);
    counts.add(refused(), NOON + 60_000);
    expect(counts.unsavedRows()).toHaveLength(1);
  });
});

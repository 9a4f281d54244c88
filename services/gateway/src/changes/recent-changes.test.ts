import { hint } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { RETENTION_MS, RecentChanges } from './recent-changes.ts';

const fill = (count: number, now = 0): RecentChanges => {
  const recent = new RecentChanges();
  for (let n = 0; n < count; n += 1) recent.add(hint('lesson', { user_ids: [String(n + 1)] }), now);
  return recent;
};

describe('The list of recent changes', () => {
  it('accepts its own ids and continues after each', () => {
    const recent = fill(3);
    expect([0, 1, 3].map((no) => recent.numberOf(recent.idOf(no)))).toEqual([0, 1, 3]);
    expect(recent.get(2)?.user_ids).toEqual(['2']);
    expect(recent.get(4)).toBeUndefined();
  });

  it.each(['', '3', 'x-1', '-1', '0000000000000000-1', 'x'.repeat(1_000)])('refuses the id %j', (id) => {
    expect(fill(3).numberOf(id)).toBeUndefined();
  });

  it('refuses ids of another list and ids that it never gave', () => {
    const [recent, other] = [fill(3), fill(3)];
    expect(recent.numberOf(other.idOf(2))).toBeUndefined();
    expect(recent.numberOf(recent.idOf(4))).toBeUndefined();
  });

  it('keeps at most a thousand changes, none older than five minutes', () => {
    const many = fill(1_005);
    expect([4, 5].map((no) => many.numberOf(many.idOf(no)))).toEqual([undefined, 5]);
    const old = fill(3);
    old.add(hint('lesson', {}), RETENTION_MS + 1);
    expect([2, 3].map((no) => old.numberOf(old.idOf(no)))).toEqual([undefined, 3]);
  });
});

import { describe, expect, it } from 'vitest';
import { chargedHours, nextExpiringLot, type Lot, remainingLots } from './hour-entry.rules.ts';

const lot = (id: string, remaining: string, expires_at: string | null): Lot => ({
  id,
  kind: 'paid',
  remaining,
  granted: '10.00',
  expires_at,
  price_minor: null,
  currency: null,
  package_id: null,
  package_version: null,
  package_title: null,
  course_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
});

it('charges a lesson the sum of its entries less those given back, exact to 0.01 h', () => {
  const entries = [
    { lesson_id: 'l', amount: '-0.70' },
    { lesson_id: 'l', amount: '0.10' },
    { lesson_id: 'm', amount: '-1.00' },
  ];
  expect([chargedHours(entries, 'l'), chargedHours(entries, 'm'), chargedHours(entries, 'n')]).toEqual([0.6, 1, 0]);
});

describe('Lots of an account', () => {
  const lots = [
    lot('endless', '2.00', null),
    lot('late', '1.00', '2027-06-01T00:00:00.000Z'),
    lot('empty', '0.00', '2026-12-01T00:00:00.000Z'),
    lot('soon', '3.00', '2026-12-24T00:00:00.000Z'),
  ];
  it('are sorted by expiry; empty lots are only counted', () => {
    const { left, usedUp } = remainingLots(lots);
    expect([left.map(({ id }) => id), usedUp]).toEqual([['soon', 'late', 'endless'], 1]);
  });
  it('expire soon only if hours are left', () => {
    expect(nextExpiringLot(lots, Date.parse('2026-11-23T00:00:00.000Z'))?.id).toBe('soon');
    expect(nextExpiringLot(lots, Date.parse('2026-09-23T00:00:00.000Z'))).toBeUndefined();
  });
});

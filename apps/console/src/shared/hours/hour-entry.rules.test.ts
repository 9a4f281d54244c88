import { describe, expect, it } from 'vitest';
import {
  chargedHours,
  coveredDebt,
  historyLines,
  type HourEntry,
  nextExpiringLot,
  type Lot,
  remainingLots,
} from './hour-entry.rules.ts';

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

it('shows the entries that cover a debt as one line, once all of them are known', () => {
  const entry = (kind: HourEntry['kind'], lot_id: string | null, amount: string, balance_after: string) => ({
    kind,
    lot_id,
    amount,
    balance_after,
  });
  const settled = [
    entry('settle', 'b', '-0.50', '-1.50'),
    entry('settle', 'a', '-1.50', '-1.00'),
    entry('settle', null, '2.00', '0.50'),
  ];
  const granted = entry('grant', 'a', '1.50', '-1.50');
  const line = entry('settle', 'b', '2.00', '-1.50');
  expect(historyLines([...settled, granted])).toEqual([line, granted]);
  expect(historyLines([...settled, ...settled])).toEqual([line, line]);
  expect(historyLines([granted, ...settled.slice(0, 2)])).toEqual([granted]);
});

it('covers a debt by granted hours, up to the debt', () => {
  const account = (balance: string, lots: Lot[] = []) => ({ balance, lots });
  expect(coveredDebt(account('-5.50'), '2')).toEqual({ covered: '2', owed: '3.5' });
  expect(coveredDebt(account('-0.30'), '2')).toEqual({ covered: '0.3', owed: '0' });
  // Hours that may not cover the debt do not reduce it.
  expect(coveredDebt(account('2.00', [lot('other', '3.00', null)]), '2')).toEqual({ covered: '1', owed: '0' });
  expect(coveredDebt(account('3.00', [lot('all', '3.00', null)]), '2')).toBeUndefined();
});

describe('Lots of an account', () => {
  const lots = [
    lot('endless', '2.00', null),
    lot('late', '1.00', '2027-06-01T00:00:00.000Z'),
    lot('empty', '0.00', '2026-12-01T00:00:00.000Z'),
    lot('soon', '3.00', '2026-12-24T00:00:00.000Z'),
  ];
  it('are sorted by expiry; empty lots are only counted', () => {
    const { left, empty } = remainingLots(lots);
    expect([left.map(({ id }) => id), empty]).toEqual([['soon', 'late', 'endless'], 1]);
  });
  it('expire soon only if hours are left', () => {
    expect(nextExpiringLot(lots, Date.parse('2026-11-23T00:00:00.000Z'))?.id).toBe('soon');
    expect(nextExpiringLot(lots, Date.parse('2026-09-23T00:00:00.000Z'))).toBeUndefined();
  });
});

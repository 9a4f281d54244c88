import {
  ACCOUNT_SUMS,
  type HourEntry,
  hourCalls,
  type HourSummary,
  ledgerCalls,
  type Output,
  sumOf,
  toHundredths,
} from '../../../libs/contracts/src/index.ts';
import { addDays, instantOf } from '../../../libs/kit/src/index.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Api } from './api.ts';
import { pagesOf } from './pages.ts';

/** All rows of a list, page by page. */
export const allOf = async <Row>(read: Parameters<typeof pagesOf<Row>>[0]): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const page of pagesOf(read)) rows.push(...page);
  return rows;
};

const decimal = (hundredths: number): string => (hundredths / 100).toFixed(2);

/** The sums of entries in the form of a summary. */
const summarize = (entries: readonly HourEntry[]): Omit<HourSummary, 'range' | 'by_package'> => {
  const total = (sign: 1 | -1, counts: (entry: HourEntry) => boolean): string =>
    decimal(sign * toHundredths(sumOf(entries.flatMap((entry) => (counts(entry) ? [entry.amount] : [])))) + 0);
  const sum = (sign: 1 | -1, kind: HourEntry['kind']): string => total(sign, (entry) => entry.kind === kind);
  const minor = (kind: HourEntry['kind'], sameCurrency: readonly HourEntry[]): number =>
    sameCurrency.reduce((total, entry) => (entry.kind === kind ? total + (entry.price_minor ?? 0) : total), 0);
  const byCurrency = Map.groupBy(
    entries.filter((entry) => entry.currency !== null),
    (entry) => String(entry.currency),
  );
  return {
    // A reversal without a lesson undoes a grant.
    granted: total(1, ({ kind, lesson_id }) => kind === 'grant' || (kind === 'reverse' && lesson_id === null)),
    consumed: total(-1, ({ lesson_id }) => lesson_id !== null),
    transferred: sum(1, 'transfer_in'),
    refunded: sum(-1, 'refund'),
    expired: sum(-1, 'expire'),
    adjusted: sum(1, 'adjust'),
    money: [...byCurrency]
      .map(([currency, sameCurrency]) => ({
        currency,
        sold_minor: minor('grant', sameCurrency),
        refunded_minor: minor('refund', sameCurrency),
      }))
      .toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
};

/** Checks that the summary of these days equals the sum of the entries, and that its parts by package add up to it. */
const compareDays = async (boss: Api, entries: readonly HourEntry[], from: string, to: string, zone: string) => {
  const summary = await boss.ok(ledgerCalls.getHourSummary, { query: { from, to, zone } });
  const [since, until] = [from, addDays(to, 1)].map((date) => instantOf(date, '00:00', zone)) as [string, string];
  const ofRange = entries.filter((entry) => entry.created_at >= since && entry.created_at < until);
  const { range, by_package, ...figures } = summary;
  expect({ range, ...figures }).toEqual({ range: { from, to, zone }, ...summarize(ofRange) });
  expect(sumOf(by_package.map((part) => part.granted))).toBe(figures.granted);
  expect(sumOf(by_package.map((part) => part.refunded))).toBe(figures.refunded);
  const money = (name: 'sold_minor' | 'refunded_minor', rows: readonly Record<typeof name, number>[]): number =>
    rows.reduce((total, row) => total + row[name], 0);
  for (const name of ['sold_minor', 'refunded_minor'] as const)
    expect(money(name, by_package)).toBe(money(name, figures.money));
};

const ZONES = ['UTC', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'America/New_York'];

/** Checks that summary, ledger and accounts of an organization agree, over all time and over random ranges of days. */
export const sumsAgree = async (boss: Api, days: number): Promise<void> => {
  const accounts = await allOf((cursor) => boss.ok(ledgerCalls.listHourAccounts, { query: { limit: '100', cursor } }));
  const entries = await allOf((cursor) => boss.ok(ledgerCalls.listHourEntries, { query: { limit: '100', cursor } }));
  // One after the other: after a thousand histories there are more accounts than the gateway accepts connections.
  const each: Output<typeof hourCalls.getHourAccount>[] = [];
  for (const { student_id } of accounts) each.push(await boss.ok(hourCalls.getHourAccount, { path: { student_id } }));
  expect(accounts.map((account) => account.balance)).toEqual(each.map((account) => account.balance));
  expect(sumOf(accounts.map((account) => account.balance))).toBe(sumOf(entries.map((entry) => entry.amount)));

  const all = await boss.ok(ledgerCalls.getHourSummary, {
    query: { from: '1970-01-01', to: '2999-12-31', zone: 'UTC' },
  });
  const total = Object.fromEntries(
    ACCOUNT_SUMS.map((name) => [name, sumOf(each.map((account) => account.hours[name]))]),
  );
  const { granted, adjusted, transferred, consumed, refunded, expired } = all;
  const moved = { transferred_in: transferred, transferred_out: transferred };
  expect({ granted, adjusted, ...moved, consumed, refunded, expired }).toEqual(total);

  const dates = entries.map((entry) => entry.created_at.slice(0, 10));
  const day = fc.constantFrom(...dates).chain((date) => fc.integer({ min: -1, max: 1 }).map((by) => addDays(date, by)));
  const ranges = fc.sample(fc.tuple(day, day, fc.constantFrom(...ZONES)), days);
  for (const [a, b, zone] of ranges) await compareDays(boss, entries, a < b ? a : b, a < b ? b : a, zone);
};

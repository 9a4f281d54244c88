import { fromHundredths, type HourEntry, type HourSummary, toHundredths } from '@teaching/contracts';
import { addDays, instantOf, localDate } from '@teaching/kit';
import { sumsFrom, addToSums } from './amounts.rules.ts';

/** The sum of the entries of one kind, by package and currency. */
export interface SummaryPart {
  kind: HourEntry['kind'];
  package_id: string | null;
  package_title: string | null;
  currency: string | null;
  /** Signed, as in the ledger. An undone grant is a negative grant. */
  amount: string;
  price_minor: number;
}

const monthOf = (date: string): { first: string; last: string } => {
  const first = `${date.slice(0, 7)}-01`;
  const next = `${addDays(first, 31).slice(0, 7)}-01`;
  return { first, last: addDays(next, -1) };
};

/** The requested days, both included, with their first and last instant. The default is a whole month. */
export const summaryRange = (
  { from, to, zone }: { from?: string | undefined; to?: string | undefined; zone: string },
  now: Date,
) => {
  const month = monthOf(from ?? to ?? localDate(now, zone));
  const range = { from: from ?? month.first, to: to ?? month.last, zone };
  const [starts_at, ends_at] = [range.from, addDays(range.to, 1)].map((date) => instantOf(date, '00:00', zone));
  return { range, starts_at, ends_at };
};

const isTrade = ({ kind }: SummaryPart): boolean => kind === 'grant' || kind === 'refund';
const hoursOf = (parts: readonly SummaryPart[]) =>
  parts.reduce(
    (sums, { kind, amount }) => addToSums(sums, kind, toHundredths(amount)),
    sumsFrom(() => 0),
  );
const moneyOf = (parts: readonly SummaryPart[], kind: SummaryPart['kind']): number =>
  parts.reduce((sum, it) => (it.kind === kind ? sum + it.price_minor : sum), 0);
const tradeOf = (parts: readonly SummaryPart[]) => ({
  sold_minor: moneyOf(parts, 'grant'),
  refunded_minor: moneyOf(parts, 'refund'),
});

/** One figure for each kind of movement, and the money of grants and refunds. */
export const toHourSummary = (parts: readonly SummaryPart[]): Omit<HourSummary, 'range'> => {
  const { granted, consumed, transferred_in: transferred, refunded, expired, adjusted } = hoursOf(parts);
  const hours = { granted, consumed, transferred, refunded, expired, adjusted };
  const trades = parts.filter(isTrade);
  const byCurrency = Map.groupBy(trades, ({ currency }) => currency ?? '');
  const byPackage = Map.groupBy(trades, ({ package_id, currency }) => `${package_id} ${currency}`);
  return {
    ...(Object.fromEntries(Object.entries(hours).map(([name, sum]) => [name, fromHundredths(sum)])) as Record<
      keyof typeof hours,
      string
    >),
    money: [...byCurrency]
      .filter(([currency]) => currency !== '')
      .map(([currency, its]) => ({ currency, ...tradeOf(its) }))
      .toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
    by_package: [...byPackage.values()].flatMap((its) =>
      its.slice(0, 1).map(({ package_id, currency }) => ({
        package_id,
        package_title: its.find((it) => it.package_title !== null)?.package_title ?? null,
        currency,
        granted: fromHundredths(hoursOf(its).granted),
        refunded: fromHundredths(hoursOf(its).refunded),
        ...tradeOf(its),
      })),
    ),
  };
};

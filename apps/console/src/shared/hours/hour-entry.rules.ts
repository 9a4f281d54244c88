import type { hourCalls, Output } from '@teaching/contracts';

export type Account = Output<typeof hourCalls.getHourAccount>;
export type Lot = Account['lots'][number];
export type HourEntry = Output<typeof hourCalls.listStudentHourEntries>['items'][number];

const hundredths = (amount: string): number => Math.round(Number(amount) * 100);

/** The hours that a lesson costs: its charges less the hours given back. */
export const chargedHours = (
  entries: readonly Pick<HourEntry, 'lesson_id' | 'amount'>[],
  lesson_id: string,
): number => {
  const entriesOfLesson = entries.filter((entry) => entry.lesson_id === lesson_id);
  const sum = entriesOfLesson.reduce((total, { amount }) => total + hundredths(amount), 0);
  return sum === 0 ? 0 : -sum / 100;
};

/**
 * The history of a student from its entries, newest first. Hours that cover a debt make one entry for the debt without a
 * lot, and after it one for each lot, with the sum zero. Between them is a balance that the student never had, so they
 * are one line, with the covered hours as its amount and the balance after all of them. Those whose debt entry is on the
 * next page wait for it.
 */
export const historyLines = <Entry extends Pick<HourEntry, 'kind' | 'lot_id' | 'amount'>>(
  entries: readonly Entry[],
): Entry[] => {
  const lines: Entry[] = [];
  let newestOfSettled: Entry | undefined;
  for (const entry of entries) {
    if (entry.kind !== 'settle') {
      lines.push(entry);
      continue;
    }
    newestOfSettled ??= entry;
    if (entry.lot_id !== null) continue;
    lines.push({ ...newestOfSettled, amount: entry.amount });
    newestOfSettled = undefined;
  }
  return lines;
};

/** Hours of an account that no lot covers, in hundredths. */
const debtOf = ({ balance, lots }: Pick<Account, 'balance' | 'lots'>): number =>
  lots.reduce((sum, { remaining }) => sum + hundredths(remaining), 0) - hundredths(balance);

/** The owed hours that granted hours cover, and those that stay owed; undefined if none are owed. */
export const coveredDebt = (
  account: Pick<Account, 'balance' | 'lots'>,
  granted: string,
): { covered: string; owed: string } | undefined => {
  const debt = debtOf(account);
  const covered = Math.min(debt, hundredths(granted));
  return debt > 0 ? { covered: String(covered / 100), owed: String((debt - covered) / 100) } : undefined;
};

/** The lots with hours left, the earliest expiry first, and the number of lots without. */
export const remainingLots = (lots: readonly Lot[]): { left: readonly Lot[]; empty: number } => {
  const left = lots.filter(({ remaining }) => Number(remaining) !== 0);
  const expiryOf = ({ expires_at }: Lot): number => (expires_at === null ? Infinity : Date.parse(expires_at));
  return { left: left.toSorted((a, b) => expiryOf(a) - expiryOf(b)), empty: lots.length - left.length };
};

const SOON_DAYS = 60;

/** The lot that expires first, if it has hours left and expires within 60 days. */
export const nextExpiringLot = (lots: readonly Lot[], now: number): Lot | undefined =>
  remainingLots(lots).left.find(
    ({ expires_at, remaining }) =>
      Number(remaining) > 0 && expires_at !== null && Date.parse(expires_at) - now < SOON_DAYS * 86_400_000,
  );

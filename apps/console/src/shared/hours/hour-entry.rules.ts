import type { hourCalls, Output } from '@teaching/contracts';

export type Account = Output<typeof hourCalls.getHourAccount>;
export type Lot = Account['lots'][number];
export type HourEntry = Output<typeof hourCalls.listStudentHourEntries>['items'][number];

/** The hours that a lesson costs: its charges less the hours given back. */
export const chargedHours = (
  entries: readonly Pick<HourEntry, 'lesson_id' | 'amount'>[],
  lesson_id: string,
): number => {
  const entriesOfLesson = entries.filter((entry) => entry.lesson_id === lesson_id);
  const sum = entriesOfLesson.reduce((total, { amount }) => total + Math.round(Number(amount) * 100), 0);
  return sum === 0 ? 0 : -sum / 100;
};

/** The lots with hours left, the earliest expiry first, and the number of used-up lots. */
export const remainingLots = (lots: readonly Lot[]): { left: readonly Lot[]; usedUp: number } => {
  const left = lots.filter(({ remaining }) => Number(remaining) !== 0);
  const expiryOf = ({ expires_at }: Lot): number => (expires_at === null ? Infinity : Date.parse(expires_at));
  return { left: left.toSorted((a, b) => expiryOf(a) - expiryOf(b)), usedUp: lots.length - left.length };
};

const SOON_DAYS = 60;

/** The lot that expires first, if it has hours left and expires within 60 days. */
export const nextExpiringLot = (lots: readonly Lot[], now: number): Lot | undefined =>
  remainingLots(lots).left.find(
    ({ expires_at, remaining }) =>
      Number(remaining) > 0 && expires_at !== null && Date.parse(expires_at) - now < SOON_DAYS * 86_400_000,
  );

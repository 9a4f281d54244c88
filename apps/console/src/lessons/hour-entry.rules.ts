import type { hourCalls, Output } from '@teaching/contracts';

export type Account = Output<typeof hourCalls.getHourAccount>;
export type Lot = Account['lots'][number];
export type Entry = Output<typeof hourCalls.listStudentHourEntries>['items'][number];

/** Hours that a lesson costs by its entries: what was charged less what was given back. */
export const chargedFor = (entries: readonly Pick<Entry, 'lesson_id' | 'amount'>[], lesson_id: string): number => {
  const its = entries.filter((entry) => entry.lesson_id === lesson_id);
  const sum = its.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0);
  return sum === 0 ? 0 : -sum / 100;
};

/** Lots with something left, those that end first in front; and how many are used up. */
export const lotsLeft = (lots: readonly Lot[]): { left: readonly Lot[]; usedUp: number } => {
  const left = lots.filter(({ remaining }) => Number(remaining) !== 0);
  const endOf = ({ expires_at }: Lot): number => (expires_at === null ? Infinity : Date.parse(expires_at));
  return { left: left.toSorted((a, b) => endOf(a) - endOf(b)), usedUp: lots.length - left.length };
};

const SOON_DAYS = 60;

/** What ends first of what is left, if that is soon. */
export const endsSoon = (lots: readonly Lot[], now: number): Lot | undefined =>
  lotsLeft(lots).left.find(
    ({ expires_at, remaining }) =>
      Number(remaining) > 0 && expires_at !== null && Date.parse(expires_at) - now < SOON_DAYS * 86_400_000,
  );

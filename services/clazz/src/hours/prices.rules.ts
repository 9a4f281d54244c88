import type { Policy } from '@teaching/contracts';
import { type Caller, isStaff, localDate } from '@teaching/kit';

const FULL_AGE = 18;

/** Whether a person is of age in the org's zone; a person without a known birthday is not. */
export const isAdult = (birthday: string | null, zone: string, now: Date): boolean => {
  if (birthday === null) return false;
  const [year, ...day] = birthday.split('-');
  return `${Number(year) + FULL_AGE}-${day.join('-')}` <= localDate(now, zone);
};

/** Whether students see what was paid for their hours (office, Money). */
export const studentSeesPrices = (
  { student_money, zone }: Pick<Policy, 'student_money' | 'zone'>,
  birthday: string | null,
  now: Date,
): boolean => student_money === 'always' || (student_money === 'adults' && isAdult(birthday, zone, now));

/** Whether the caller sees prices: staff do, guardians as their link says; undefined for students, for whom policy decides. */
export const seesPrices = (caller: Caller): boolean | undefined => isStaff(caller) || caller.guardian?.money;

/** A movement or a lot as it is shown, with or without what was paid. */
export const priced =
  (isShown: boolean) =>
  <T extends { price_minor: number | null; currency: string | null }>(
    it: T,
  ): T | (T & { price_minor: null; currency: null }) =>
    isShown ? it : { ...it, price_minor: null, currency: null };

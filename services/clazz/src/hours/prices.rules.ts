import type { Policy } from '@teaching/contracts';
import { type Caller, isStaff, localDate } from '@teaching/kit';

const ADULT_AGE = 18;

/** Whether a person is an adult in the org's zone. A person without a known birthday is not. */
export const isAdult = (birthday: string | null, zone: string, now: Date): boolean => {
  if (birthday === null) return false;
  const [year, ...day] = birthday.split('-');
  return `${Number(year) + ADULT_AGE}-${day.join('-')}` <= localDate(now, zone);
};

/** Whether students see what was paid for their hours (office rules, "Money"). */
export const canStudentSeePrices = (
  { student_money, zone }: Pick<Policy, 'student_money' | 'zone'>,
  birthday: string | null,
  now: Date,
): boolean => student_money === 'always' || (student_money === 'adults' && isAdult(birthday, zone, now));

/**
 * Whether the caller sees prices: staff do, guardians by their link. Undefined for students, for whom the policy
 * decides.
 */
export const canSeePricesByRole = (caller: Caller): boolean | undefined => isStaff(caller) || caller.guardian?.money;

/** An entry or a lot with its price, or with null if prices are hidden. */
export const withPriceIfVisible =
  (isShown: boolean) =>
  <T extends { price_minor: number | null; currency: string | null }>(
    it: T,
  ): T | (T & { price_minor: null; currency: null }) =>
    isShown ? it : { ...it, price_minor: null, currency: null };

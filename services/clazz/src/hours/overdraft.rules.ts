import { type Policy, Problem, fromHundredths, toHundredths } from '@teaching/contracts';
import type { Book } from './book.rules.ts';

/** A student with too few hours. */
export interface Shortage {
  student_id: string;
  balance: string;
  needed: string;
}

/** How much may be owed (hundredths); without end by default, since roll call must not stop a class. */
const limitOf = ({ overdraft, overdraft_limit }: Policy['hours']): number => {
  if (overdraft === 'forbid') return 0;
  return overdraft_limit === null ? Number.POSITIVE_INFINITY : toHundredths(overdraft_limit);
};

/** Whether a student owes more than policy allows. What makes a debt no bigger is always allowed. */
export const exceedsOverdraft = (policy: Policy, debtBefore: number, debtAfter: number): boolean =>
  debtAfter > debtBefore && debtAfter > limitOf(policy.hours);

export const shortageOf = (book: Book, balance: number, needed: number): Shortage => ({
  student_id: book.student_id,
  balance: fromHundredths(balance),
  needed: fromHundredths(needed),
});

/** One refusal that names all students with too few hours. */
export const requireEnough = (short: readonly Shortage[]): void => {
  if (short.length === 0) return;
  const names = short.map((it) => it.student_id).join(', ');
  throw new Problem('insufficient_hours', {
    detail: `Not enough lesson hours: ${names}`,
    members: { students: short },
  });
};

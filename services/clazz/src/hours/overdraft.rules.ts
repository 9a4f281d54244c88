import { type Policy, Problem, fromHundredths, toHundredths } from '@teaching/contracts';
import type { StudentLedger } from './student-ledger.rules.ts';

/** A student with too few hours. */
export interface Shortage {
  student_id: string;
  balance: string;
  needed: string;
}

/** The highest allowed debt in hundredths. It is unlimited by default, because roll call must not stop a class. */
const limitOf = ({ overdraft, overdraft_limit }: Policy['hours']): number => {
  if (overdraft === 'forbid') return 0;
  return overdraft_limit === null ? Number.POSITIVE_INFINITY : toHundredths(overdraft_limit);
};

/** Whether a debt has grown and exceeds the policy's limit. A debt that does not grow is always allowed. */
export const exceedsOverdraft = (policy: Policy, debtBefore: number, debtAfter: number): boolean =>
  debtAfter > debtBefore && debtAfter > limitOf(policy.hours);

export const shortageOf = (ledger: StudentLedger, balance: number, needed: number): Shortage => ({
  student_id: ledger.student_id,
  balance: fromHundredths(balance),
  needed: fromHundredths(needed),
});

/** 409 `insufficient_hours`, naming all students with too few hours. */
export const requireEnoughHours = (shortages: readonly Shortage[]): void => {
  if (shortages.length === 0) return;
  const names = shortages.map((it) => it.student_id).join(', ');
  throw new Problem('insufficient_hours', {
    detail: `Not enough lesson hours: ${names}`,
    members: { students: shortages },
  });
};

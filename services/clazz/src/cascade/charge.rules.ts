import { type Leave, type Lesson, type Mark, type Policy, shareOf, toHundredths } from '@teaching/contracts';

/** The line of the policy's `charge` that a charge is made under. */
export type ChargeRule = keyof Policy['charge'];

type LeaveFact = Pick<Leave, 'status' | 'in_time'>;

/** By mark and notice. A leave that nobody approved counts as late. */
export const ruleOfMark = (mark: Mark, leave: LeaveFact | null): ChargeRule => {
  if (mark !== 'leave') return mark;
  return leave?.status === 'approved' && leave.in_time ? 'leave_in_time' : 'leave_late';
};

/** By fault, when the lesson did not take place. */
export const ruleOfCancelled = ({ cancelled_by }: Pick<Lesson, 'cancelled_by'>): ChargeRule =>
  cancelled_by === 'teacher' ? 'cancelled_by_teacher' : 'cancelled_by_org';

/** Share of the lesson's hours, in hundredths, rounded half up. */
export const chargeOf = (lesson_hours: string, rule: ChargeRule, policy: Pick<Policy, 'charge'>): number =>
  shareOf(toHundredths(lesson_hours), toHundredths(policy.charge[rule]));

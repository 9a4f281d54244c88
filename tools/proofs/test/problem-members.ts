import { PROBLEM_MEMBERS as BY_CODE } from '../../../libs/contracts/src/index.ts';
import { z } from 'zod';

/** All members that any problem document may have beside the standard ones. */
export const ProblemMembers = z
  .object({
    /** Total number of errors, when `errors` is truncated. */
    errors_total: z.int(),
    ...BY_CODE.invalid_transition,
    ...BY_CODE.schedule_conflict,
    ...BY_CODE.completion_blocked,
    ...BY_CODE.insufficient_hours,
    ...BY_CODE.leave_exists,
    ...BY_CODE.room_too_small,
    ...BY_CODE.clazz_full,
    ...BY_CODE.capacity_below_enrolled,
    ...BY_CODE.in_use,
    ...BY_CODE.claim_held,
    ...BY_CODE.not_marked,
    ...BY_CODE.order_mismatch,
    ...BY_CODE.backfill_closed,
  })
  .partial();
export type ProblemMembers = z.output<typeof ProblemMembers>;

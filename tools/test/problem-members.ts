import { Blocker, Conflict } from '../../libs/contracts/src/index.ts';
import { z } from 'zod';

const Ids = z.array(z.string());

/** What a problem may say beside what each says, by whatever refusal. */
export const ProblemMembers = z
  .object({
    /** of many errors */
    errors_total: z.int(),
    /** invalid_transition */
    from: z.string(),
    to: z.string(),
    /** schedule_conflict */
    conflicts: z.array(Conflict.strict()),
    conflicts_total: z.int(),
    /** completion_blocked */
    blockers: z.array(Blocker.strict()),
    /** insufficient_hours */
    students: z.array(z.strictObject({ student_id: z.string(), balance: z.string(), needed: z.string() })),
    /** leave_exists, leave_too_late */
    lesson_ids: Ids,
    /** room_too_small, with lesson_ids */
    room: z.string(),
    capacity: z.int(),
    /** clazz_full, room_too_small, capacity_below_enrolled */
    free_seats: z.int(),
    taken: z.int(),
    /** in_use */
    used_by: z.array(z.strictObject({ what: z.string(), count: z.int() })),
    /** claim_held, not_claimed */
    claimed_by: z.string().nullable(),
    claim_expires_at: z.string().nullable(),
    /** not_marked */
    submission_ids: Ids,
    /** order_mismatch */
    missing: Ids,
    unknown: Ids,
    /** backfill_closed */
    local_date: z.string(),
    today: z.string(),
  })
  .partial();
export type ProblemMembers = z.output<typeof ProblemMembers>;

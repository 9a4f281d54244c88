import { z } from 'zod';
import { Blocker } from './clazz/clazz.calls.ts';
import { Conflict } from './clazz/clazz.schema.ts';
import type { ProblemCode } from './problem.ts';
import { Decimal, ID, Instant, LocalDate, PersonId } from './scalars.ts';

/** A student with too few hours. */
export const ShortStudent = z.object({ student_id: PersonId, balance: Decimal, needed: Decimal });
/** The number of records of one kind that use a record. */
export const Use = z.object({ what: z.string(), count: z.int() });

/** Additional members of the problem document, by code. */
export const PROBLEM_MEMBERS = {
  invalid_transition: { from: z.string(), to: z.string() },
  schedule_conflict: { conflicts: z.array(Conflict), conflicts_total: z.int() },
  completion_blocked: { blockers: z.array(Blocker) },
  insufficient_hours: { students: z.array(ShortStudent) },
  leave_exists: { lesson_ids: z.array(ID) },
  leave_too_late: { lesson_ids: z.array(ID) },
  room_too_small: {
    room: z.string(),
    capacity: z.int(),
    taken: z.int(),
    free_seats: z.int(),
    lesson_ids: z.array(ID),
  },
  clazz_full: { free_seats: z.int() },
  capacity_below_enrolled: { taken: z.int() },
  in_use: { used_by: z.array(Use) },
  claim_held: { claimed_by: PersonId, claim_expires_at: Instant.nullable() },
  not_marked: { submission_ids: z.array(ID) },
  order_mismatch: { missing: z.array(ID), unknown: z.array(ID) },
  backfill_closed: { local_date: LocalDate, today: LocalDate },
} as const satisfies Partial<Record<ProblemCode, z.ZodRawShape>>;

type Shapes = typeof PROBLEM_MEMBERS;
/** The additional members of a problem of this code. Each may be absent. */
export type ProblemMembersOf<C extends ProblemCode> = C extends keyof Shapes
  ? Partial<z.output<z.ZodObject<Shapes[C]>>>
  : unknown;

import { z } from 'zod';
import { boundedJson } from '../bounded-json.ts';
import { fields } from '../fields.ts';
import { ID, Instant, LocalDate, LocalDateInput, PersonId, PersonName, prose, text, Zone } from '../scalars.ts';
import { inOrder } from './in-order.ts';

/** The longest plan: five years. */
export const MAX_PLAN_DAYS = 1_830;

const PlanItem = z.object({ title: z.string(), note: z.string().optional() });
const PlanItemInput = z
  .union([text(500), z.strictObject({ title: text(500), note: prose(5_000).optional() })])
  .transform((item): z.infer<typeof PlanItem> => (typeof item === 'string' ? { title: item } : item));

const Weekdays = z.array(z.int().min(1).max(7)).min(1).max(7).transform(inOrder);
const FrozenDates = z.array(LocalDateInput).max(MAX_PLAN_DAYS).transform(inOrder);

/**
 * Planned days are the days from `starts_on` to `ends_on` that fall on one of `weekdays` (1 is Monday) or
 * match `rrule` (RFC 5545, without prefix, daily or rarer, begun on `starts_on`, UNTIL a date), or all of them; less
 * `frozen_dates`.
 */
export const JihuaFields = fields({
  title: { input: text(200), output: z.string() },
  starts_on: { input: LocalDateInput, output: LocalDate },
  ends_on: { input: LocalDateInput, output: LocalDate },
  zone: { input: Zone, output: z.string() },
  weekdays: { input: Weekdays, output: z.array(z.int()).nullable(), standard: null },
  rrule: { input: text(500), output: z.string().nullable(), standard: null },
  items: { input: z.array(PlanItemInput).max(200), output: z.array(PlanItem), standard: [] },
  backfill_days: { input: z.int().min(0).max(366), output: z.int(), standard: 2 },
  frozen_dates: { input: FrozenDates, output: z.array(LocalDate), standard: [] },
});

export const JihuaRow = z.object({
  id: ID,
  org_id: ID,
  teacher_id: PersonId,
  ...JihuaFields.output,
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type JihuaRow = z.infer<typeof JihuaRow>;

/** Who checks in on a plan, and from which day: those before do not count. */
export const JihuaStudent = z.object({ student_id: PersonId, since: LocalDate });

export const Jihua = JihuaRow.extend({
  /** Every day the plan asks for, in order. */
  planned_dates: z.array(LocalDate),
  /** Staff only. */
  student_ids: z.array(PersonId).optional(),
  /** Staff only: the same, each with the first day that counts for them. */
  students: z.array(JihuaStudent).optional(),
  /** The first day that counts for the caller, if they are a student of the plan. */
  since: LocalDate.optional(),
});
export type Jihua = z.infer<typeof Jihua>;

export const NamedJihuaStudent = JihuaStudent.extend({ student_name: PersonName });

/** Plans as they are read: what their ids stand for beside them. */
export const NamedJihuaRow = JihuaRow.extend({ teacher_name: PersonName });
export const NamedJihua = Jihua.extend({
  teacher_name: PersonName,
  /** Staff only: of `student_ids`, in their order. */
  student_names: z.array(PersonName).optional(),
  students: z.array(NamedJihuaStudent).optional(),
});

export const DakaContent = boundedJson(20_000);

/** One student's check-in on one day of a plan; the day is in the plan's zone and never changes. */
export const Daka = z.object({
  id: ID,
  org_id: ID,
  jihua_id: ID,
  student_id: PersonId,
  local_date: LocalDate,
  content: z.union([z.string(), z.record(z.string(), z.json())]).nullable(),
  /** Checked in after the day was over. */
  backfilled: z.boolean(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Daka = z.infer<typeof Daka>;

/** A check-in as it is listed: what its ids stand for beside them. */
export const NamedDaka = Daka.extend({ student_name: PersonName, jihua_title: z.string() });

/**
 * `current`: planned days in a row that are checked in, up to now; an unfinished today does not end it.
 * `rate` is `done` / `planned`, counted over the planned days up to yesterday, and today once checked in.
 */
export const Streak = z.object({
  current: z.int(),
  longest: z.int(),
  rate: z.number().nullable(),
  planned: z.int(),
  done: z.int(),
});
export type Streak = z.infer<typeof Streak>;

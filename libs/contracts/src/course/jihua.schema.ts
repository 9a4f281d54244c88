import { z } from 'zod';
import { boundedJson } from '../bounded-json.ts';
import { fields } from '../fields.ts';
import { ID, Instant, LocalDate, LocalDateInput, PersonId, PersonName, prose, text, Zone } from '../scalars.ts';
import { sortedSet } from './sorted-set.ts';

/** Maximum number of days of a plan: five years. */
export const MAX_PLAN_DAYS = 1_830;
export const PLAN_TOO_LONG = `must be within ${MAX_PLAN_DAYS} days`;

const PlanItem = z.object({ title: z.string(), note: z.string().optional() });
const PlanItemInput = z
  .union([text(500), z.strictObject({ title: text(500), note: prose(5_000).optional() })])
  .transform((item): z.infer<typeof PlanItem> => (typeof item === 'string' ? { title: item } : item));

const Weekdays = z.array(z.int().min(1).max(7)).min(1).max(7).transform(sortedSet);
const FrozenDates = z.array(LocalDateInput).max(MAX_PLAN_DAYS).transform(sortedSet);

/**
 * Planned days are the days from `starts_on` to `ends_on`, except `frozen_dates`, that are one of `weekdays` (1 is
 * Monday) or match `rrule`. Without both, all days are planned. `rrule` follows RFC 5545 without prefix, is daily or
 * rarer, and starts on `starts_on`; its UNTIL is a date.
 */
export const JihuaFields = fields({
  title: { input: text(200), output: z.string() },
  starts_on: { input: LocalDateInput, output: LocalDate },
  ends_on: { input: LocalDateInput, output: LocalDate },
  zone: { input: Zone, output: z.string() },
  weekdays: { input: Weekdays, output: z.array(z.int()).nullable(), default: null },
  rrule: { input: text(500), output: z.string().nullable(), default: null },
  items: { input: z.array(PlanItemInput).max(200), output: z.array(PlanItem), default: [] },
  backfill_days: { input: z.int().min(0).max(366), output: z.int(), default: 2 },
  frozen_dates: { input: FrozenDates, output: z.array(LocalDate), default: [] },
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

/** A student of a plan. Days before `since` do not count. */
export const JihuaStudent = z.object({ student_id: PersonId, since: LocalDate });

export const Jihua = JihuaRow.extend({
  /** All planned days, in order. */
  planned_dates: z.array(LocalDate),
  /** Staff only. */
  student_ids: z.array(PersonId).optional(),
  /** Staff only: the students, each with the first day that counts. */
  students: z.array(JihuaStudent).optional(),
  /** The first day that counts for the caller; absent if the caller is not a student of the plan. */
  since: LocalDate.optional(),
});
export type Jihua = z.infer<typeof Jihua>;

export const NamedJihuaStudent = JihuaStudent.extend({ student_name: PersonName });

/** Plans in responses, with names. */
export const NamedJihuaRow = JihuaRow.extend({ teacher_name: PersonName });
export const NamedJihua = Jihua.extend({
  teacher_name: PersonName,
  /** Staff only: names in the order of `student_ids`. */
  student_names: z.array(PersonName).optional(),
  students: z.array(NamedJihuaStudent).optional(),
});

export const DakaContent = boundedJson(20_000);

/** The check-in of a student on one day of a plan. The day is in the zone of the plan and never changes. */
export const Daka = z.object({
  id: ID,
  org_id: ID,
  jihua_id: ID,
  student_id: PersonId,
  local_date: LocalDate,
  content: z.union([z.string(), z.record(z.string(), z.json())]).nullable(),
  /** Whether it was created after the day was over. */
  backfilled: z.boolean(),
  version: z.int(),
  created_at: Instant,
  updated_at: Instant,
});
export type Daka = z.infer<typeof Daka>;

/** A check-in in responses, with names. */
export const NamedDaka = Daka.extend({ student_name: PersonName, jihua_title: z.string() });

/**
 * `current`: consecutive planned days with a check-in, up to now. Today without a check-in does not end it.
 * `rate` is `done` / `planned`, over the planned days up to yesterday, and today after its check-in.
 */
export const Streak = z.object({
  current: z.int(),
  longest: z.int(),
  rate: z.number().nullable(),
  planned: z.int(),
  done: z.int(),
});
export type Streak = z.infer<typeof Streak>;

import { z } from 'zod';
import { Currency, Decimal, decimalInput, text, Zone } from '../scalars.ts';
import type { LotKind } from './hour.calls.ts';

/** One rule of a policy: what may be set, with what it is when nothing is said, and how it is answered. */
interface Setting {
  input: z.ZodType;
  output: z.ZodType;
}
type Settings = Readonly<Record<string, Setting>>;
type Which = keyof Setting;

const all = <const S extends Settings, W extends Which>(settings: S, which: W) =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting[which]])) as {
    [N in keyof S]: S[N][W];
  };

/** Settings that belong together. A group that is left out is what its settings are by themselves. */
const group = <const S extends Settings>(settings: S) => ({
  input: z.strictObject(all(settings, 'input')).prefault({} as never),
  output: z.object(all(settings, 'output')),
});

/** A whole number; `standard` holds when nothing is said. */
const count = (min: number, max: number, standard: number) => ({
  input: z.int().min(min).max(max).default(standard),
  output: z.int(),
});
/** Share of a lesson's hours. */
const share = (standard: string) => ({ input: decimalInput(0, 10).default(standard), output: Decimal });
const oneOf = <const V extends readonly string[]>(values: V, standard: V[number]) => ({
  input: z.enum(values).default(standard as never),
  output: z.enum(values),
});

/** Every kind of lot, as they are drawn when nothing is said. */
const DRAW_ORDER = ['gift', 'paid'] as const satisfies readonly LotKind[];
const drawOrder = z
  .array(z.enum(DRAW_ORDER))
  .length(DRAW_ORDER.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'names a kind twice')
  .default([...DRAW_ORDER]);

const SETTINGS = {
  /** Where days begin and end for the org's rules. */
  zone: { input: Zone.default('UTC'), output: z.string() },
  /** What money is in where neither a request nor a package says; `null`: there it must be said. */
  currency: { input: Currency.nullable().default(null), output: z.string().nullable() },
  /** What the org is called on its receipts. */
  org_name: { input: text(200).nullable().default(null), output: z.string().nullable() },
  /** Which students see what was paid for their hours: adults are 18 by their `birthday`. Guardians see it by their link. */
  student_money: oneOf(['always', 'adults', 'never'], 'always'),
  /** Whether only active people of the directory may be enrolled, granted hours or named as teachers. */
  people: oneOf(['open', 'listed'], 'open'),
  /** Whether lessons may name rooms that are not on the list of rooms. */
  rooms: oneOf(['open', 'listed'], 'open'),
  roll_call: group({
    /** How long before its start a lesson accepts roll call. */
    lead_minutes: count(0, 10_080, 15),
    /** How long after a lesson's end teachers may take or correct roll call. */
    edit_window_days: count(0, 3_650, 7),
  }),
  leave: group({
    /** Leave is in time when it is requested at least this long before the lesson. */
    deadline_hours: count(0, 8_760, 24),
    /** Lessons with leave in any 30 days; `null` has no bound. */
    quota_per_30_days: { input: z.int().min(0).max(1_000).nullable().default(null), output: z.int().nullable() },
    /** Late requests are taken as late, or refused. */
    late: oneOf(['accept', 'refuse'], 'accept'),
    /** Who says yes: staff to each, or policy itself to what is in time for a lesson that is still to come. */
    approval: oneOf(['staff', 'in_time'], 'staff'),
    make_up_credit: { input: z.boolean().default(true), output: z.boolean() },
    make_up_expires_days: count(1, 3_650, 60),
  }),
  /** Which share of a lesson's hours is charged, by mark, notice given and fault. */
  charge: group({
    present: share('1.00'),
    late: share('1.00'),
    absent: share('1.00'),
    leave_in_time: share('0.00'),
    leave_late: share('0.50'),
    makeup: share('1.00'),
    trial: share('0.00'),
    cancelled_by_teacher: share('0.00'),
    cancelled_by_org: share('0.00'),
  }),
  hours: group({
    /** Whether a balance may become negative. */
    overdraft: oneOf(['allow', 'forbid'], 'allow'),
    /** How far below zero it may go; `null` has no bound. */
    overdraft_limit: { input: decimalInput(0).nullable().default(null), output: Decimal.nullable() },
    /** Hours that come back to an expired lot live this long from then on. */
    reversal_extension_days: count(0, 3_650, 30),
    draw_order: { input: drawOrder, output: z.array(z.enum(DRAW_ORDER)) },
  }),
};

/** The rules of one org for roll call, leave and hours. What is left out has its default. */
export const PolicySettings = z.strictObject(all(SETTINGS, 'input'));
export type PolicySettings = z.output<typeof PolicySettings>;

/** A policy in force: settings and their version, which every charge is stamped with. */
export const Policy = z.object({ ...all(SETTINGS, 'output'), version: z.int() });
export type Policy = z.output<typeof Policy>;

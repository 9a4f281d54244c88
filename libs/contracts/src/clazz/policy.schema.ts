import { z } from 'zod';
import { isList } from '../rules.ts';
import { Currency, Decimal, decimalInput, text, Zone } from '../scalars.ts';
import { zoneName } from '../zone-names.ts';
import type { LotKind } from './hour.calls.ts';

/** One setting of a policy: its request schema with the default, and its response schema. */
interface Setting {
  input: z.ZodType;
  output: z.ZodType;
}
type Settings = Readonly<Record<string, Setting>>;
type Side = keyof Setting;

const pickSide = <const S extends Settings, W extends Side>(settings: S, side: W) =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting[side]])) as {
    [N in keyof S]: S[N][W];
  };

/** Settings that belong together. An omitted group consists of the defaults of its settings. */
const group = <const S extends Settings>(settings: S) => ({
  input: z.strictObject(pickSide(settings, 'input')).prefault({} as never),
  output: z.object(pickSide(settings, 'output')),
});

/** A whole number. */
const count = (min: number, max: number, defaultValue: number) => ({
  input: z.int().min(min).max(max).default(defaultValue),
  output: z.int(),
});
/** Share of the hours of a lesson. */
const share = (defaultValue: string) => ({ input: decimalInput(0, 10).default(defaultValue), output: Decimal });
const oneOf = <const V extends readonly string[]>(values: V, defaultValue: V[number]) => ({
  input: z.enum(values).default(defaultValue as never),
  output: z.enum(values),
});

/** All kinds of lots, in the default order in which hours are drawn. */
const DRAW_ORDER = ['gift', 'paid'] as const satisfies readonly LotKind[];
const drawOrder = z
  .array(z.enum(DRAW_ORDER))
  .length(DRAW_ORDER.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, { when: isList, message: 'must contain each kind once' })
  .default([...DRAW_ORDER]);

const SETTINGS = {
  /** Zone in which the days of the organization begin and end. */
  zone: { input: Zone.default('UTC'), output: z.string() },
  /** Default currency of prices; `null`: each price must have its own currency. */
  currency: { input: Currency.nullable().default(null), output: z.string().nullable() },
  /** Name of the organization on receipts. */
  org_name: { input: text(200).nullable().default(null), output: z.string().nullable() },
  /**
   * Students who see what was paid for their hours. Adults are 18 or older by `birthday`. Guardians: `money` of the
   * link.
   */
  student_money: oneOf(['always', 'adults', 'never'], 'always'),
  /** `listed`: only active people of the directory may be enrolled, granted hours or named as teachers. */
  people: oneOf(['open', 'listed'], 'open'),
  /** `listed`: lessons may only name rooms of the list of rooms. */
  rooms: oneOf(['open', 'listed'], 'open'),
  roll_call: group({
    /** Minutes before its start from which a lesson accepts roll call. */
    lead_minutes: count(0, 10_080, 15),
    /** Days after the end of a lesson in which teachers may take or correct roll call. */
    edit_window_days: count(0, 3_650, 7),
  }),
  leave: group({
    /** Hours before the lesson until which a leave request is in time. */
    deadline_hours: count(0, 8_760, 24),
    /** Maximum lessons with leave in any 30 days; `null`: no limit. */
    quota_per_30_days: { input: z.int().min(0).max(1_000).nullable().default(null), output: z.int().nullable() },
    /** Whether late requests are accepted as late or refused. */
    late: oneOf(['accept', 'refuse'], 'accept'),
    /** `staff`: staff decide on each leave. `in_time`: a request in time for a future lesson is approved at once. */
    approval: oneOf(['staff', 'in_time'], 'staff'),
    make_up_credit: { input: z.boolean().default(true), output: z.boolean() },
    make_up_expires_days: count(1, 3_650, 60),
  }),
  /** Share of the hours of a lesson that is charged, by mark, notice and fault. */
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
    /** Hours that a balance may be below zero; `null`: no limit. */
    overdraft_limit: { input: decimalInput(0).nullable().default(null), output: Decimal.nullable() },
    /** Days for which hours are valid that are returned to an expired lot. */
    reversal_extension_days: count(0, 3_650, 30),
    draw_order: { input: drawOrder, output: z.array(z.enum(DRAW_ORDER)) },
  }),
};

/** The rules of an organization for roll call, leave and hours. Omitted settings get their defaults. */
export const PolicySettings = z.strictObject(pickSide(SETTINGS, 'input'));
export type PolicySettings = z.output<typeof PolicySettings>;

/** Settings as they were stored: texts and zones of older versions need not follow the rules for requests. */
export const StoredPolicySettings = PolicySettings.extend({
  zone: z
    .string()
    .overwrite((zone) => zoneName(zone) ?? zone)
    .default('UTC'),
  org_name: z.string().nullable().default(null),
});

/** The policy in force: settings and their version. Each charge contains the version. */
export const Policy = z.object({ ...pickSide(SETTINGS, 'output'), version: z.int() });
export type Policy = z.output<typeof Policy>;

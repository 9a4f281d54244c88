import { z } from 'zod';
import { call } from '../call.ts';
import { Decimal, decimalInput, STAFF, Zone } from '../scalars.ts';

const LOT_KINDS = ['gift', 'paid'] as const;

/** Share of a lesson's hours. */
const share = (standard: string) => decimalInput(0, 10).default(standard);

/** Which share of a lesson's hours is charged, by mark, notice given and fault. */
const ChargePolicy = z.strictObject({
  present: share('1.00'),
  late: share('1.00'),
  absent: share('1.00'),
  leave_in_time: share('0.00'),
  leave_late: share('0.50'),
  makeup: share('1.00'),
  trial: share('0.00'),
  cancelled_by_teacher: share('0.00'),
  cancelled_by_org: share('0.00'),
});

const drawOrder = z
  .array(z.enum(LOT_KINDS))
  .length(LOT_KINDS.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'names a kind twice')
  .default([...LOT_KINDS]);

/** The rules of one org for roll call, leave and hours. What is left out has its default. */
export const PolicySettings = z.strictObject({
  zone: Zone.default('UTC'),
  roll_call: z
    .strictObject({
      /** How long before its start a lesson accepts roll call. */
      lead_minutes: z.int().min(0).max(10_080).default(15),
      /** How long after a lesson's end teachers may take or correct roll call. */
      edit_window_days: z.int().min(0).max(3_650).default(7),
    })
    .prefault({}),
  leave: z
    .strictObject({
      /** Leave is in time when it is requested at least this long before the lesson. */
      deadline_hours: z.int().min(0).max(8_760).default(24),
      /** Lessons with leave in any 30 days; `null` has no bound. */
      quota_per_30_days: z.int().min(0).max(1_000).nullable().default(null),
      /** Late requests are taken as late, or refused. */
      late: z.enum(['accept', 'refuse']).default('accept'),
      make_up_credit: z.boolean().default(true),
      make_up_expires_days: z.int().min(1).max(3_650).default(60),
    })
    .prefault({}),
  charge: ChargePolicy.prefault({}),
  hours: z
    .strictObject({
      /** Whether a balance may become negative. */
      overdraft: z.enum(['allow', 'forbid']).default('allow'),
      /** How far below zero it may go; `null` has no bound. */
      overdraft_limit: decimalInput(0).nullable().default(null),
      /** Hours that come back to an expired lot live this long from then on. */
      reversal_extension_days: z.int().min(0).max(3_650).default(30),
      draw_order: drawOrder,
    })
    .prefault({}),
});
export type PolicySettings = z.output<typeof PolicySettings>;

/** A policy in force: settings and their version, which every charge is stamped with. */
export const Policy = z.object({
  zone: z.string(),
  roll_call: z.object({ lead_minutes: z.int(), edit_window_days: z.int() }),
  leave: z.object({
    deadline_hours: z.int(),
    quota_per_30_days: z.int().nullable(),
    late: z.enum(['accept', 'refuse']),
    make_up_credit: z.boolean(),
    make_up_expires_days: z.int(),
  }),
  charge: z.object({
    present: Decimal,
    late: Decimal,
    absent: Decimal,
    leave_in_time: Decimal,
    leave_late: Decimal,
    makeup: Decimal,
    trial: Decimal,
    cancelled_by_teacher: Decimal,
    cancelled_by_org: Decimal,
  }),
  hours: z.object({
    overdraft: z.enum(['allow', 'forbid']),
    overdraft_limit: Decimal.nullable(),
    reversal_extension_days: z.int(),
    draw_order: z.array(z.enum(LOT_KINDS)),
  }),
  version: z.int(),
});
export type Policy = z.output<typeof Policy>;

export const policyCalls = {
  get: call({
    id: 'clazz.policy.get',
    http: 'GET /api/v1/clazz/policy',
    summary: "The org's policy in force",
    who: STAFF,
    writes: false,
    output: Policy,
  }),
  put: call({
    id: 'clazz.policy.put',
    http: 'PUT /api/v1/clazz/policy',
    summary: 'Set the whole policy; it applies to what happens from now on',
    who: ['SUPERVISOR'],
    writes: true,
    body: PolicySettings,
    output: Policy,
    errors: ['version_mismatch'],
  }),
};

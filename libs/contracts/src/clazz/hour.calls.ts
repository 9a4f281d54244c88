import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { fields } from '../fields.ts';
import { page, pageQuery, commaSeparated } from '../page.ts';
import { rule } from '../rules.ts';
import {
  ALL_ROLES,
  Currency,
  Decimal,
  decimalInput,
  ID,
  Instant,
  InstantInput,
  Minor,
  optional,
  PersonId,
  PersonIdInput,
  PersonName,
  text,
} from '../scalars.ts';
import { ENTRY_KINDS, Mark } from './clazz.schema.ts';

const BASE = '/api/v1/clazz/hour';
/** A positive number of hours. */
const SomeHours = decimalInput(0.01);
/** Hours of one grant (rules, part 10). */
const GrantedHours = decimalInput(0.01, 10_000);
const Reason = text(1_000);

export const LOT_KINDS = ['paid', 'gift'] as const;
export type LotKind = (typeof LOT_KINDS)[number];

/** The fields of a lot that a grant sets, except its hours. The package provides the defaults that depend on it. */
export const LotFields = fields({
  /** Price of all hours. Default: the price of the package in proportion, else 0 (no price). */
  price_minor: { input: Minor, output: z.int(), default: undefined },
  /**
   * Currency of the price. Default: that of the package, else that of the policy, else required. `null` without a
   * price.
   */
  currency: { input: Currency, output: z.string().nullable(), default: undefined },
  kind: { input: z.enum(LOT_KINDS), output: z.enum(LOT_KINDS), default: 'paid' },
  package_id: { input: ID, output: z.string().nullable(), default: undefined },
  /** Default: the latest published version. */
  package_version: { input: z.int().min(1).max(1_000_000), output: z.int().nullable(), default: undefined },
  course_id: { input: ID, output: z.string().nullable(), default: null },
  /** Default: `validity_days` of the package from now, else never. */
  expires_at: { input: InstantInput, output: Instant.nullable(), default: undefined },
});

const { kind, expires_at, ...lotOutput } = LotFields.output;
/** Hours granted at one time with one price and one expiry. `price_minor` is the price of all granted hours. */
export const HourLot = z.object({
  id: ID,
  kind,
  remaining: Decimal,
  granted: Decimal,
  expires_at,
  ...lotOutput,
  /** Title of the package version at the time of the grant; `null` without a package and for old grants. */
  package_title: z.string().nullable(),
  created_at: Instant,
});
export type HourLot = z.output<typeof HourLot>;

/**
 * The sums of an account. Only `adjusted` may be negative. Reversals of charges reduce `consumed`, those of grants
 * `granted`.
 */
export const ACCOUNT_SUMS = [
  'granted',
  'adjusted',
  'transferred_in',
  'transferred_out',
  'consumed',
  'refunded',
  'expired',
] as const;
/** granted + adjusted + transferred_in − transferred_out − consumed − refunded − expired = remaining. */
export const HourSums = z.object({
  granted: Decimal,
  adjusted: Decimal,
  transferred_in: Decimal,
  transferred_out: Decimal,
  consumed: Decimal,
  refunded: Decimal,
  expired: Decimal,
  remaining: Decimal,
});

export const HourAccount = z.object({
  student_id: PersonId,
  student_name: z.string().nullable(),
  balance: Decimal,
  hours: HourSums,
  /** Price and currency are `null` for callers who may not see prices. */
  lots: z.array(HourLot.extend({ price_minor: z.int().nullable() })),
});

/** One entry of the ledger. Entries never change. */
export const HourEntry = z.object({
  id: ID,
  student_id: PersonId,
  kind: z.enum(ENTRY_KINDS),
  /** `null`: hours that no lot covers. */
  lot_id: z.string().nullable(),
  amount: Decimal,
  balance_before: Decimal,
  balance_after: Decimal,
  lesson_id: z.string().nullable(),
  /** The mark revision that was charged, or whose charge was reversed. */
  mark_revision: z.int().nullable(),
  policy_version: z.int().nullable(),
  /**
   * The expiry that removed the hours, or from which hours were taken back for a lesson that began before it; or the
   * new expiry of an expired lot to which hours were returned.
   */
  lot_expires_at: Instant.nullable(),
  actor_id: z.string(),
  reason: z.string().nullable(),
  created_at: Instant,
  /** Money of a grant or refund; `null` if there is none, or if the caller may not see prices. */
  price_minor: z.int().nullable(),
  currency: z.string().nullable(),
  /** Package of the lot. */
  package_id: z.string().nullable(),
  package_title: z.string().nullable(),
  student_name: z.string().nullable(),
  /** `null` also for actions of the system. */
  actor_name: z.string().nullable(),
  lesson_starts_at: Instant.nullable(),
  lesson_ends_at: Instant.nullable(),
  /** Class of the lesson. */
  clazz_name: z.string().nullable(),
  /** The mark of `mark_revision`; `null` without a mark, for example of a cancelled lesson. */
  mark: Mark.nullable(),
});
export type HourEntry = z.output<typeof HourEntry>;

/** The body of a grant. */
const GrantBody = z.strictObject({ student_id: PersonIdInput, hours: GrantedHours, ...LotFields.create }).check(
  rule(['package_version', 'package_id'], (body) => body.package_version == null || body.package_id != null, {
    path: 'package_id',
    message: 'is required with package_version',
  }),
);
export type GrantBody = z.output<typeof GrantBody>;
const Granted = HourLot.extend({ student_id: PersonId, student_name: z.string().nullable(), balance: Decimal });

const Balance = z.object({ student_id: PersonId, student_name: PersonName, balance: Decimal });

/**
 * The value of one lot: price × remaining ÷ granted, rounded half up to the minor unit. If hours of the lot cover a
 * debt, it is the value of all remaining hours minus the value of those.
 */
const RefundLot = z.object({
  lot_id: ID,
  /** Hours that can be refunded: without hours that cover a debt. */
  remaining: Decimal,
  /** Hours of the lot that cover a debt and stay; absent if there are none. */
  owed: Decimal.optional(),
  granted: Decimal,
  price_minor: z.int(),
  /** Price of one hour, rounded half up, for information. The amount is not calculated from it. */
  unit_price_minor: z.int(),
  amount_minor: z.int(),
  /** The division that gives the amount, with its remainder. */
  working: z.string(),
});
export const RefundQuote = z.object({
  quote_id: ID,
  student_id: PersonId,
  amount_minor: z.int(),
  /** `null` if no remaining hours have a price. */
  currency: z.string().nullable(),
  lots: z.array(RefundLot),
  created_at: Instant,
});
export type RefundQuote = z.output<typeof RefundQuote>;
const ShownRefundQuote = RefundQuote.extend({ student_name: PersonName });

/** Lesson hours of students: lots, ledger and refunds. */
export const hourCalls = {
  grantHours: call({
    id: 'clazz.hour.grant',
    http: `POST ${BASE}/grant`,
    summary: 'Grant hours to a student. With a package, the grant refers to its published version',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 201,
    body: GrantBody,
    output: Granted,
  }),
  grantHoursInBulk: call({
    id: 'clazz.hour.grant_bulk',
    http: `POST ${BASE}/grant/bulk`,
    summary: 'Grant hours to up to 500 students, all or none',
    roles: ['SUPERVISOR'],
    writes: true,
    cost: 20,
    status: 201,
    max_body: LARGEST_BODY,
    body: z.strictObject({ grants: z.array(GrantBody).min(1).max(500) }),
    /** In the order of the request. `balance` is the balance after all grants. */
    output: z.object({ items: z.array(Granted) }),
  }),
  undoGrant: call({
    id: 'clazz.hour.undo_grant',
    http: `POST ${BASE}/grant/{lot_id}/undo`,
    summary: 'Undo a grant while all its hours are left. A grant with a price is refunded in full, with a receipt',
    roles: ['SUPERVISOR'],
    writes: true,
    path: { lot_id: ID },
    body: z.strictObject({ reason: optional(Reason) }).optional(),
    output: HourAccount,
    errors: ['in_use'],
  }),
  getHourAccount: call({
    id: 'clazz.hour.account',
    http: `GET ${BASE}/account/{student_id}`,
    summary: 'Read the hour account of a student: balance, sums and lots. Due expiries are applied first',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    path: { student_id: PersonIdInput },
    output: HourAccount,
  }),
  listStudentHourEntries: call({
    id: 'clazz.hour.list_entries',
    http: `GET ${BASE}/entry/{student_id}`,
    summary: 'List the ledger entries of a student, newest first',
    roles: ALL_ROLES,
    access: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    path: { student_id: PersonIdInput },
    query: {
      lesson_id: commaSeparated(ID).optional().meta({ description: 'Entries of these lessons' }),
      ...pageQuery,
    },
    output: page(HourEntry),
  }),
  transferHours: call({
    id: 'clazz.hour.transfer',
    http: `POST ${BASE}/transfer`,
    summary: 'Transfer hours to another student. They keep their price and expiry',
    roles: ['SUPERVISOR'],
    writes: true,
    body: z
      .strictObject({ from_student_id: PersonIdInput, to_student_id: PersonIdInput, hours: SomeHours, reason: Reason })
      .check(
        rule(['from_student_id', 'to_student_id'], (body) => body.from_student_id !== body.to_student_id, {
          path: 'to_student_id',
          message: 'must be another student than from_student_id',
        }),
      ),
    output: z.object({ from: Balance, to: Balance, hours: Decimal }),
    errors: ['insufficient_hours'],
  }),
  adjustHours: call({
    id: 'clazz.hour.adjust',
    http: `POST ${BASE}/adjust`,
    summary: 'Add hours to an account or remove hours from it, with a reason',
    roles: ['SUPERVISOR'],
    writes: true,
    body: z.strictObject({
      student_id: PersonIdInput,
      hours: decimalInput(-1_000_000).refine((value) => value !== '0.00', 'must not be zero'),
      reason: Reason,
    }),
    output: Balance,
    errors: ['insufficient_hours'],
  }),
  quoteRefund: call({
    id: 'clazz.hour.quote_refund',
    http: `POST ${BASE}/refund-quote`,
    summary: 'Create a refund quote. It contains the value of the remaining paid hours, with the calculation',
    roles: ['SUPERVISOR'],
    writes: true,
    status: 201,
    body: z.strictObject({
      student_id: PersonIdInput,
      /** Required if the lots have prices in several currencies. */
      currency: optional(Currency),
    }),
    output: ShownRefundQuote,
  }),
  refundHours: call({
    id: 'clazz.hour.refund',
    http: `POST ${BASE}/refund`,
    summary: 'Refund hours by a quote that is still valid',
    roles: ['SUPERVISOR'],
    writes: true,
    body: z.strictObject({ quote_id: ID }),
    output: ShownRefundQuote.extend({ balance: Decimal, refunded_at: Instant }),
    errors: ['quote_stale'],
  }),
};

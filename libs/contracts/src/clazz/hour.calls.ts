import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { fields } from '../fields.ts';
import { page, pageQuery, several } from '../page.ts';
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
  PersonName,
  text,
} from '../scalars.ts';
import { ENTRY_KINDS, Mark } from './clazz.schema.ts';

const BASE = '/api/v1/clazz/hour';
/** More than nothing. */
const SomeHours = decimalInput(0.01);
/** What is granted at one time (rules, part 10). */
const GrantedHours = decimalInput(0.01, 10_000);
const Reason = text(1_000);

export const LOT_KINDS = ['paid', 'gift'] as const;
export type LotKind = (typeof LOT_KINDS)[number];

/** What may be set on a lot, beside its hours. What depends on the package it was bought with has its standard there. */
export const LotFields = fields({
  /** For all hours; by default the package's price in proportion, else 0, which is no price. */
  price_minor: { input: Minor, output: z.int(), standard: undefined },
  /** Of the price: by default the package's, else the policy's, else it must be said. `null` without a price. */
  currency: { input: Currency, output: z.string().nullable(), standard: undefined },
  kind: { input: z.enum(LOT_KINDS), output: z.enum(LOT_KINDS), standard: 'paid' },
  package_id: { input: ID, output: z.string().nullable(), standard: undefined },
  /** By default the newest published one. */
  package_version: { input: z.int().min(1).max(1_000_000), output: z.int().nullable(), standard: undefined },
  course_id: { input: ID, output: z.string().nullable(), standard: null },
  /** By default the package's days of validity from now, else never. */
  expires_at: { input: InstantInput, output: Instant.nullable(), standard: undefined },
});

const { kind, expires_at, ...lotOutput } = LotFields.output;
/** Hours granted at one time with one price and one expiry. `price_minor` is for all hours granted. */
export const HourLot = z.object({
  id: ID,
  kind,
  remaining: Decimal,
  granted: Decimal,
  expires_at,
  ...lotOutput,
  /** What the package version was called when it was bought; `null` for what was bought before titles were kept. */
  package_title: z.string().nullable(),
  created_at: Instant,
});
export type HourLot = z.output<typeof HourLot>;

/** What became of the hours of an account; only `adjusted` may be below zero, and what is given back lessens `consumed`. */
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
  /** Who may not see what was paid gets `null` for price and currency. */
  lots: z.array(HourLot.extend({ price_minor: z.int().nullable() })),
});

/** One immutable movement. */
export const HourEntry = z.object({
  id: ID,
  student_id: PersonId,
  kind: z.enum(ENTRY_KINDS),
  /** `null`: hours that no lot covered. */
  lot_id: z.string().nullable(),
  amount: Decimal,
  balance_before: Decimal,
  balance_after: Decimal,
  lesson_id: z.string().nullable(),
  /** The mark revision that was charged, or whose charge was reversed. */
  mark_revision: z.int().nullable(),
  policy_version: z.int().nullable(),
  /**
   * The expiry that took the hours, or from which some were taken back for a lesson that had begun before it; or the
   * new one of a lot that got hours back after it had expired.
   */
  lot_expires_at: Instant.nullable(),
  actor_id: z.string(),
  reason: z.string().nullable(),
  created_at: Instant,
  /** Money that changed hands with the hours: paid for a grant, given back by a refund; `null` if there was none, or to who may not see it. */
  price_minor: z.int().nullable(),
  currency: z.string().nullable(),
  /** Of the lot. */
  package_id: z.string().nullable(),
  package_title: z.string().nullable(),
  student_name: z.string().nullable(),
  /** `null` also for what happens by itself. */
  actor_name: z.string().nullable(),
  lesson_starts_at: Instant.nullable(),
  lesson_ends_at: Instant.nullable(),
  /** Of the lesson. */
  clazz_name: z.string().nullable(),
  /** What roll call said in `mark_revision`; `null` where nothing was said, as of a lesson that was cancelled. */
  mark: Mark.nullable(),
});
export type HourEntry = z.output<typeof HourEntry>;

/** What a grant says. */
const GrantBody = z
  .strictObject({ student_id: PersonId, hours: GrantedHours, ...LotFields.create })
  .refine((body) => body.package_version == null || body.package_id != null, {
    path: ['package_id'],
    message: 'is needed with package_version',
  });
export type GrantBody = z.output<typeof GrantBody>;
const Granted = HourLot.extend({ student_id: PersonId, student_name: z.string().nullable(), balance: Decimal });

const Balance = z.object({ student_id: PersonId, student_name: PersonName, balance: Decimal });

/**
 * What one lot is worth: price × remaining ÷ granted, rounded half up to the minor unit. Where hours of it stand for
 * what is owed, it is the worth of all of them less that of those.
 */
const RefundLot = z.object({
  lot_id: ID,
  /** What can be given back: without what is owed. */
  remaining: Decimal,
  /** Hours of the lot that stay, since so many are owed; left out when none are. */
  owed: Decimal.optional(),
  granted: Decimal,
  price_minor: z.int(),
  /** Price of one hour, rounded half up; the amount is not computed from it. */
  unit_price_minor: z.int(),
  amount_minor: z.int(),
  /** The division behind the amount, with its remainder. */
  working: z.string(),
});
export const RefundQuote = z.object({
  quote_id: ID,
  student_id: PersonId,
  amount_minor: z.int(),
  /** `null` when nothing that is left has a price. */
  currency: z.string().nullable(),
  lots: z.array(RefundLot),
  created_at: Instant,
});
export type RefundQuote = z.output<typeof RefundQuote>;
const ShownRefundQuote = RefundQuote.extend({ student_name: PersonName });

/** Lesson hours of students: lots, ledger, refunds. */
export const hourCalls = {
  grantHours: call({
    id: 'clazz.hour.grant',
    http: `POST ${BASE}/grant`,
    summary: 'Give a student hours; with a package, its version is checked and kept',
    who: ['SUPERVISOR'],
    writes: true,
    status: 201,
    body: GrantBody,
    output: Granted,
  }),
  grantHoursInBulk: call({
    id: 'clazz.hour.grant_bulk',
    http: `POST ${BASE}/grant/bulk`,
    summary: 'Give many students hours, all or nothing; every problem is named by its path',
    who: ['SUPERVISOR'],
    writes: true,
    cost: 20,
    status: 201,
    max_body: LARGEST_BODY,
    body: z.strictObject({ grants: z.array(GrantBody).min(1).max(500) }),
    /** In the order of the request; `balance` is that after all of them. */
    output: z.object({ items: z.array(Granted) }),
  }),
  getHourAccount: call({
    id: 'clazz.hour.account',
    http: `GET ${BASE}/account/{student_id}`,
    summary: 'Balance and lots; hours past their expiry are taken out first',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    path: { student_id: PersonId },
    output: HourAccount,
  }),
  listStudentHourEntries: call({
    id: 'clazz.hour.list_entries',
    http: `GET ${BASE}/entry/{student_id}`,
    summary: 'The ledger, newest first',
    who: ALL_ROLES,
    whose: { TEACHER: 'teacher', STUDENT: 'self' },
    child: 'named',
    writes: false,
    audited: true,
    path: { student_id: PersonId },
    query: {
      lesson_id: several(ID).optional().meta({ description: 'What these lessons cost' }),
      ...pageQuery,
    },
    output: page(HourEntry),
  }),
  transferHours: call({
    id: 'clazz.hour.transfer',
    http: `POST ${BASE}/transfer`,
    summary: 'Move hours to another student; they keep their price and expiry',
    who: ['SUPERVISOR'],
    writes: true,
    body: z
      .strictObject({ from_student_id: PersonId, to_student_id: PersonId, hours: SomeHours, reason: Reason })
      .refine((body) => body.from_student_id !== body.to_student_id, {
        path: ['to_student_id'],
        message: 'is the same student',
      }),
    output: z.object({ from: Balance, to: Balance, hours: Decimal }),
    errors: ['insufficient_hours'],
  }),
  adjustHours: call({
    id: 'clazz.hour.adjust',
    http: `POST ${BASE}/adjust`,
    summary: 'Add or take hours by hand',
    who: ['SUPERVISOR'],
    writes: true,
    body: z.strictObject({
      student_id: PersonId,
      hours: decimalInput(-1_000_000).refine((value) => value !== '0.00', 'must not be zero'),
      reason: Reason,
    }),
    output: Balance,
    errors: ['insufficient_hours'],
  }),
  quoteRefund: call({
    id: 'clazz.hour.quote_refund',
    http: `POST ${BASE}/refund-quote`,
    summary: 'What the remaining paid hours are worth, with the working shown',
    who: ['SUPERVISOR'],
    writes: true,
    status: 201,
    body: z.strictObject({
      student_id: PersonId,
      /** Needed when the lots were paid in several currencies. */
      currency: optional(Currency),
    }),
    output: ShownRefundQuote,
  }),
  refundHours: call({
    id: 'clazz.hour.refund',
    http: `POST ${BASE}/refund`,
    summary: 'Execute a quote that still holds',
    who: ['SUPERVISOR'],
    writes: true,
    body: z.strictObject({ quote_id: ID }),
    output: ShownRefundQuote.extend({ balance: Decimal, refunded_at: Instant }),
    errors: ['quote_stale'],
  }),
};

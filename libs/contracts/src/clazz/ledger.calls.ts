import { z } from 'zod';
import { call } from '../call.ts';
import { chosenChild } from '../child.ts';
import { csvQuery, keywordQuery, page, pageQuery, queryFlag, several, sortQuery } from '../page.ts';
import {
  Decimal,
  decimalInput,
  ID,
  Instant,
  InstantInput,
  LocalDate,
  LocalDateInput,
  PersonId,
  STAFF,
  Zone,
} from '../scalars.ts';
import { ENTRY_KINDS } from './clazz.schema.ts';
import { HourEntry } from './hour.calls.ts';

const BASE = '/api/v1/clazz/hour';

/** One student's account in the list of all: what is left, what is owed, what will expire. */
export const AccountRow = z.object({
  student_id: PersonId,
  /** `null` where the directory does not know them; they are sorted by their ids. */
  student_name: z.string().nullable(),
  balance: Decimal,
  /** Hours charged that no lot stands behind yet. */
  owed: Decimal,
  /** Hours of `balance` that expire before `expiring_before`; without it, on whatever day. */
  expiring: Decimal,
  /** When the first of the hours that are left expire; `null` if none do. */
  next_expiry: Instant.nullable(),
});
export type AccountRow = z.output<typeof AccountRow>;

/** What was sold and given back in one currency, in its minor units. */
const Money = z.object({ currency: z.string(), sold_minor: z.int(), refunded_minor: z.int() });

/**
 * What became of hours and money in some days. Each figure is the sum of the ledger's entries of these days; all count
 * what their name says, so only `adjusted` has a sign.
 */
export const HourSummary = z.object({
  range: z.object({ from: LocalDate, to: LocalDate, zone: z.string() }),
  granted: Decimal,
  /** Charges less what was given back of them. */
  consumed: Decimal,
  /** What was moved from one student to another, counted once. */
  transferred: Decimal,
  refunded: Decimal,
  /** Less what was taken back for lessons that had begun before the expiry. */
  expired: Decimal,
  /** Added by hand less taken by hand. */
  adjusted: Decimal,
  money: z.array(Money),
  /** Grants and refunds by what was bought and in which currency; without a package, and without a price, it is `null`. */
  by_package: z.array(
    z.object({
      package_id: z.string().nullable(),
      package_title: z.string().nullable(),
      currency: z.string().nullable(),
      granted: Decimal,
      refunded: Decimal,
      sold_minor: z.int(),
      refunded_minor: z.int(),
    }),
  ),
});
export type HourSummary = z.output<typeof HourSummary>;

/** What was paid for a grant or given back by a refund, as it is handed to somebody. */
export const Receipt = z.object({
  /** Of its year, from 1 and without gaps; with the year it names the receipt within the org. */
  number: z.int(),
  year: z.int(),
  entry_id: ID,
  kind: z.enum(['grant', 'refund']),
  /** The policy's `org_name`. */
  org_name: z.string().nullable(),
  student_id: PersonId,
  student_name: z.string().nullable(),
  package_id: z.string().nullable(),
  package_title: z.string().nullable(),
  package_version: z.int().nullable(),
  hours: Decimal,
  /** For all of these hours, in the minor unit of `currency`. */
  price_minor: z.int(),
  currency: z.string(),
  /** The day it was issued, in the org's zone of that day. */
  date: LocalDate,
  issued_at: Instant,
});
export type Receipt = z.output<typeof Receipt>;

/** The accounts and the ledger of a whole org. */
export const ledgerCalls = {
  listHourAccounts: call({
    id: 'clazz.hour.accounts',
    http: `GET ${BASE}/account`,
    summary:
      'Everybody with a ledger or an active enrolment; teachers see whom they teach; all as CSV with Accept: text/csv',
    who: STAFF,
    whose: { TEACHER: 'teacher' },
    writes: false,
    audited: true,
    also: 'text/csv',
    query: {
      balance_below: decimalInput(-1_000_000).optional().meta({ description: 'Less than so many hours' }),
      in_debt: queryFlag.optional().meta({ description: 'Who owes hours, or who owes none' }),
      expiring_before: InstantInput.optional().meta({ description: 'Who has hours that expire before this instant' }),
      ...keywordQuery,
      ...sortQuery(['student_name', 'balance', 'next_expiry'], 'student_name'),
      ...pageQuery,
      ...csvQuery,
    },
    output: page(AccountRow),
  }),
  listHourEntries: call({
    id: 'clazz.hour.entries',
    http: `GET ${BASE}/entry`,
    summary:
      'The ledger of the org, newest first; teachers see whom they teach; all of it as CSV with Accept: text/csv',
    who: STAFF,
    whose: { TEACHER: 'teacher' },
    writes: false,
    audited: true,
    also: 'text/csv',
    query: {
      from: InstantInput.optional().meta({ description: 'From this instant' }),
      to: InstantInput.optional().meta({ description: 'Before this instant' }),
      kind: several(z.enum(ENTRY_KINDS)).optional(),
      student_id: several(PersonId).optional(),
      package_id: several(ID).optional().meta({ description: 'Of lots that were bought with it' }),
      lesson_id: several(ID).optional(),
      ...pageQuery,
      ...csvQuery,
    },
    output: page(HourEntry),
  }),
  getHourSummary: call({
    id: 'clazz.hour.summary',
    http: `GET ${BASE}/summary`,
    summary: 'What was granted, consumed, sold and given back in some days; by default those of this month',
    who: ['SUPERVISOR'],
    writes: false,
    cost: 5,
    audited: true,
    query: {
      from: LocalDateInput.optional().meta({ description: 'The first day' }),
      to: LocalDateInput.optional().meta({ description: 'The last day' }),
      zone: Zone.optional().meta({ description: "Where days begin and end, by default as in the org's policy" }),
    },
    output: HourSummary,
  }),
  getReceipt: call({
    id: 'clazz.hour.receipt',
    http: `GET ${BASE}/entry/{entry_id}/receipt`,
    summary: 'The receipt of a grant or refund with a price; a page to print with Accept: text/html',
    who: ['SUPERVISOR', 'STUDENT', 'GUARDIAN'],
    whose: { STUDENT: 'self' },
    child: 'any',
    writes: false,
    audited: true,
    also: 'text/html',
    path: { entry_id: ID },
    query: chosenChild,
    output: Receipt,
  }),
};

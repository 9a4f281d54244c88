import { z } from 'zod';
import { call } from '../call.ts';
import { chosenChild } from '../child.ts';
import { csvQuery, keywordQuery, page, pageQuery, queryFlag, commaSeparated, sortQuery } from '../page.ts';
import { orderedDays } from '../rules.ts';
import {
  Decimal,
  decimalInput,
  ID,
  Instant,
  InstantInput,
  LocalDate,
  LocalDateInput,
  PersonId,
  PersonIdInput,
  STAFF,
  Zone,
} from '../scalars.ts';
import { ENTRY_KINDS } from './clazz.schema.ts';
import { HourEntry } from './hour.calls.ts';

const BASE = '/api/v1/clazz/hour';

/** One account in the list of accounts: balance, debt, and hours that expire. */
export const AccountRow = z.object({
  student_id: PersonId,
  /** `null` if the directory does not contain the student, who is then sorted by id. */
  student_name: z.string().nullable(),
  balance: Decimal,
  /** Charged hours that no lot covers. */
  owed: Decimal,
  /** Hours of `balance` that expire before `expiring_before`; without this filter, at any time. */
  expiring: Decimal,
  /** Earliest expiry of the remaining hours; `null` if none expire. */
  next_expiry: Instant.nullable(),
});
export type AccountRow = z.output<typeof AccountRow>;

/** Sales and refunds in one currency, in its minor unit. */
const Money = z.object({ currency: z.string(), sold_minor: z.int(), refunded_minor: z.int() });

/**
 * Hours and money of a range of days. Each figure is the sum of the ledger entries of these days. All figures are
 * positive except `adjusted`, which is signed, and `granted`, if grants of earlier days were undone.
 */
export const HourSummary = z.object({
  range: z.object({ from: LocalDate, to: LocalDate, zone: z.string() }),
  granted: Decimal,
  /** Charges minus reversals. */
  consumed: Decimal,
  /** Hours transferred between students, counted once. */
  transferred: Decimal,
  refunded: Decimal,
  /** Expired hours minus hours taken back for lessons that began before the expiry. */
  expired: Decimal,
  /** Hours added by hand minus hours removed by hand. */
  adjusted: Decimal,
  money: z.array(Money),
  /** Grants and refunds by package and currency. The package or currency is `null` if there is none. */
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

/** The receipt of a grant or refund with a price. */
export const Receipt = z.object({
  /** Number within the year, from 1 without gaps. Year and number identify the receipt in the organization. */
  number: z.int(),
  year: z.int(),
  entry_id: ID,
  kind: z.enum(['grant', 'refund']),
  /** `org_name` of the policy. */
  org_name: z.string().nullable(),
  student_id: PersonId,
  student_name: z.string().nullable(),
  package_id: z.string().nullable(),
  package_title: z.string().nullable(),
  package_version: z.int().nullable(),
  hours: Decimal,
  /** Price of all these hours, in the minor unit of `currency`. */
  price_minor: z.int(),
  currency: z.string(),
  /** Day of issue, in the zone that the policy had then. */
  date: LocalDate,
  issued_at: Instant,
});
export type Receipt = z.output<typeof Receipt>;

/** The accounts and the ledger of an organization. */
export const ledgerCalls = {
  listHourAccounts: call({
    id: 'clazz.hour.accounts',
    http: `GET ${BASE}/account`,
    summary:
      'List hour accounts. The list has all people with entries or an active enrolment. Teachers see their own students. CSV with `Accept: text/csv`',
    roles: STAFF,
    access: { TEACHER: 'teacher' },
    writes: false,
    audited: true,
    other_type: 'text/csv',
    query: {
      balance_below: decimalInput(-1_000_000)
        .optional()
        .meta({ description: 'Accounts with a balance below this number of hours' }),
      in_debt: queryFlag
        .optional()
        .meta({ description: '`true`: accounts with a debt; `false`: accounts without one' }),
      expiring_before: InstantInput.optional().meta({
        description: 'Accounts with hours that expire before this instant',
      }),
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
      'List the ledger entries of the organization, newest first. Teachers see their own students. CSV with `Accept: text/csv`',
    roles: STAFF,
    access: { TEACHER: 'teacher' },
    writes: false,
    audited: true,
    other_type: 'text/csv',
    query: {
      from: InstantInput.optional().meta({ description: 'Entries from this instant on' }),
      to: InstantInput.optional().meta({ description: 'Entries before this instant' }),
      kind: commaSeparated(z.enum(ENTRY_KINDS)).optional(),
      student_id: commaSeparated(PersonIdInput).optional(),
      package_id: commaSeparated(ID)
        .optional()
        .meta({ description: 'Entries of lots that were bought with these packages' }),
      lesson_id: commaSeparated(ID).optional(),
      ...pageQuery,
      ...csvQuery,
    },
    output: page(HourEntry),
  }),
  getHourSummary: call({
    id: 'clazz.hour.summary',
    http: `GET ${BASE}/summary`,
    summary: 'Summarize hours and money of a range of days. Default: the current month',
    roles: ['SUPERVISOR'],
    writes: false,
    cost: 5,
    audited: true,
    query: {
      from: LocalDateInput.optional().meta({
        description: 'First local day. Default: the first day of the current month',
      }),
      to: LocalDateInput.optional().meta({
        description: 'Last local day, included. Default: the last day of the current month',
      }),
      zone: Zone.optional().meta({ description: 'IANA zone of the days. Default: the zone of the policy' }),
    },
    query_rules: [orderedDays],
    output: HourSummary,
  }),
  getReceipt: call({
    id: 'clazz.hour.receipt',
    http: `GET ${BASE}/entry/{entry_id}/receipt`,
    summary: 'Read the receipt of a grant or refund with a price. A page to print with `Accept: text/html`',
    roles: ['SUPERVISOR', 'STUDENT', 'GUARDIAN'],
    access: { STUDENT: 'self' },
    child: 'any',
    writes: false,
    audited: true,
    other_type: 'text/html',
    path: { entry_id: ID },
    query: chosenChild,
    output: Receipt,
  }),
};

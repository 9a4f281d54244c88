import { notNull, hundredths, instant, type RowOf, type Session, statement } from '@teaching/kit';
import { CURRENT_GEN } from './sql-fragments.ts';

/**
 * SQL that adds the columns `names` of `rows` to the sums of their organizations. It is part of the statement that
 * stores the rows. `gen` is the parameter with the generation.
 */
export const addToOrgAccount = (gen: string, rows: string, names: readonly string[]): string => `
  insert into org_account (gen, org_id, ${names.join(', ')})
  select ${gen}, org_id, ${names.map((name) => `sum(${name})`).join(', ')} from (${rows}) as r group by org_id
  on conflict (org_id, gen) do update set ${names.map((name) => `${name} = org_account.${name} + excluded.${name}`).join(', ')}`;

/** Sums of an account that events contain. */
export const ACCOUNT_SUMS = ['granted', 'consumed', 'balance'] as const;
/** SQL of the differences between the new and the old sums of an account's row. */
export const ACCOUNT_DIFFERENCE = ACCOUNT_SUMS.map((name) => `new.${name} - coalesce(old.${name}, 0) as ${name}`).join(
  ', ',
);

/** SQL of the sums over entries: granted, consumed and balance, in this order. */
export const HOUR_SUMS = `coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
    -coalesce(sum(amount) filter (where kind in ('consume', 'reverse')), 0) as consumed,
    coalesce(sum(amount), 0) as balance`;

const IN_30_DAYS = "$2::timestamptz + interval '30 days'";
/**
 * SQL of the sums over open lots: hours past their expiry, and hours that expire within 30 days. Expired hours are
 * subtracted at once, even if their `expire` entry does not exist yet.
 */
const lotSums = (where: string, more = ''): string => `
  select coalesce(sum(remaining) filter (where expires_at <= $2), 0) as overdue,
    coalesce(sum(remaining) filter (where expires_at > $2 and expires_at <= ${IN_30_DAYS}), 0) as expiring${more}
  from lot where org_id = $1 and gen = ${CURRENT_GEN} and open and ${where}`;

const HOURS = {
  granted: notNull(hundredths()),
  adjusted: notNull(hundredths()),
  transferred_in: notNull(hundredths()),
  transferred_out: notNull(hundredths()),
  consumed: notNull(hundredths()),
  refunded: notNull(hundredths()),
  expired: notNull(hundredths()),
  remaining: notNull(hundredths()),
  expiring_30d: notNull(hundredths()),
};
type Hours = RowOf<typeof HOURS>;

/** Sums over entries that are not charges. A student has few enough of them to add them up at each request. */
const BY_KIND = {
  adjusted: "sum(amount) filter (where kind = 'adjust')",
  transferred_in: "sum(amount) filter (where kind = 'transfer_in')",
  transferred_out: "-sum(amount) filter (where kind = 'transfer_out')",
  refunded: "-sum(amount) filter (where kind = 'refund')",
  expired: "-sum(amount) filter (where kind = 'expire')",
};
/** Names of the sums over entries by kind. */
export const KIND_SUMS = Object.keys(BY_KIND);
export const SUMS_BY_KIND = Object.entries(BY_KIND)
  .map(([name, sum]) => `coalesce(${sum}, 0) as ${name}`)
  .join(', ');

const rounded = (name: string): string => `round(${name}, 2) as ${name}`;
/** SQL of the figures in the answer, from the sums of the account and of its lots. */
const ANSWER_COLUMNS = `${['granted', 'adjusted', 'transferred_in', 'transferred_out', 'consumed', 'refunded'].map(rounded).join(', ')},
  round(expired + overdue, 2) as expired, round(balance - overdue, 2) as remaining, round(expiring, 2) as expiring_30d`;
/** SQL of the next instant at which a lot expires, or at which it begins to count as expiring within 30 days. */
const NEXT_CHANGE = `, least(min(expires_at) filter (where expires_at > $2),
      min(expires_at) filter (where expires_at > ${IN_30_DAYS}) - interval '30 days') as next_at`;
const OF_STUDENT = statement(
  `select ${ANSWER_COLUMNS}, next_at
   from (select granted, consumed, balance from account where org_id = $1 and gen = ${CURRENT_GEN} and student_id = $3) as a
   cross join (${lotSums('student_id = $3', NEXT_CHANGE)}) as l
   cross join (select ${SUMS_BY_KIND} from entry where org_id = $1 and gen = ${CURRENT_GEN} and student_id = $3) as e`,
  { ...HOURS, next_at: instant().nullable() },
);
const OF_ORG = statement(
  `select ${ANSWER_COLUMNS}
   from (select * from org_account where org_id = $1 and gen = ${CURRENT_GEN}) as a
   cross join (${lotSums(`expires_at <= ${IN_30_DAYS}`)}) as l`,
  HOURS,
);
const ZERO = '0.00';
const NO_HOURS: Hours = {
  granted: ZERO,
  adjusted: ZERO,
  transferred_in: ZERO,
  transferred_out: ZERO,
  consumed: ZERO,
  refunded: ZERO,
  expired: ZERO,
  remaining: ZERO,
  expiring_30d: ZERO,
};

/**
 * The hours of a student. `next_at` is the next instant at which they change without an event; null if there is none.
 */
export const hoursOfStudent = async (
  session: Session,
  student_id: string,
): Promise<{ hours: Hours; next_at: string | null }> => {
  const found = await session.queryOne(OF_STUDENT, session.org_id, session.now, student_id);
  if (found === undefined) return { hours: NO_HOURS, next_at: null };
  const { next_at, ...hours } = found;
  return { hours, next_at };
};

export const hoursOfOrg = async (session: Session): Promise<Hours> =>
  (await session.queryOne(OF_ORG, session.org_id, session.now)) ?? NO_HOURS;

import { notNull, hundredths, instant, type RowOf, type Session, statement } from '@teaching/kit';
import { GEN } from './sql-fragments.ts';

/** The org's sums move by what rows say, in one statement with what stores these; `gen` is a parameter. */
export const moveOrgAccount = (gen: string, rows: string, names: readonly string[]): string => `
  insert into org_account (gen, org_id, ${names.join(', ')})
  select ${gen}, org_id, ${names.map((name) => `sum(${name})`).join(', ')} from (${rows}) as r group by org_id
  on conflict (org_id, gen) do update set ${names.map((name) => `${name} = org_account.${name} + excluded.${name}`).join(', ')}`;

/** Sums of an account that events tell. */
export const ACCOUNT_SUMS = ['granted', 'consumed', 'balance'] as const;
/** What an account's row was before, beside what it is. */
export const ACCOUNT_DIFFERENCE = ACCOUNT_SUMS.map((name) => `new.${name} - coalesce(old.${name}, 0) as ${name}`).join(
  ', ',
);

/** Sums over entries: granted, consumed and balance, in this order. */
export const HOUR_SUMS = `coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
    -coalesce(sum(amount) filter (where kind in ('consume', 'reverse')), 0) as consumed,
    coalesce(sum(amount), 0) as balance`;

const SOON = "$2::timestamptz + interval '30 days'";
/** A lot that ran out counts no more, even while the entry that says so is still to come. */
const LOTS = (where: string, more = ''): string => `
  select coalesce(sum(remaining) filter (where expires_at <= $2), 0) as overdue,
    coalesce(sum(remaining) filter (where expires_at > $2 and expires_at <= ${SOON}), 0) as expiring${more}
  from lot where org_id = $1 and gen = ${GEN} and open and ${where}`;

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

/** What entries but charges add up to: of a student few enough to be added when somebody asks. */
const BY_KIND = {
  adjusted: "sum(amount) filter (where kind = 'adjust')",
  transferred_in: "sum(amount) filter (where kind = 'transfer_in')",
  transferred_out: "-sum(amount) filter (where kind = 'transfer_out')",
  refunded: "-sum(amount) filter (where kind = 'refund')",
  expired: "-sum(amount) filter (where kind = 'expire')",
};
/** Sums over entries under these names. */
export const KIND_SUMS = Object.keys(BY_KIND);
export const SUMS_BY_KIND = Object.entries(BY_KIND)
  .map(([name, sum]) => `coalesce(${sum}, 0) as ${name}`)
  .join(', ');

const kept = (name: string): string => `round(${name}, 2) as ${name}`;
/** As they are answered, of sums and what stands in lots. */
const ANSWERED = `${['granted', 'adjusted', 'transferred_in', 'transferred_out', 'consumed', 'refunded'].map(kept).join(', ')},
  round(expired + overdue, 2) as expired, round(balance - overdue, 2) as remaining, round(expiring, 2) as expiring_30d`;
/** When the next of them runs out, or is to run out soon. */
const NEXT = `, least(min(expires_at) filter (where expires_at > $2),
      min(expires_at) filter (where expires_at > ${SOON}) - interval '30 days') as next_at`;
const OF_STUDENT = statement(
  `select ${ANSWERED}, next_at
   from (select granted, consumed, balance from account where org_id = $1 and gen = ${GEN} and student_id = $3) as a
   cross join (${LOTS('student_id = $3', NEXT)}) as l
   cross join (select ${SUMS_BY_KIND} from entry where org_id = $1 and gen = ${GEN} and student_id = $3) as e`,
  { ...HOURS, next_at: instant().nullable() },
);
const OF_ORG = statement(
  `select ${ANSWERED}
   from (select * from org_account where org_id = $1 and gen = ${GEN}) as a
   cross join (${LOTS(`expires_at <= ${SOON}`)}) as l`,
  HOURS,
);
const NONE = '0.00';
const NOTHING: Hours = {
  granted: NONE,
  adjusted: NONE,
  transferred_in: NONE,
  transferred_out: NONE,
  consumed: NONE,
  refunded: NONE,
  expired: NONE,
  remaining: NONE,
  expiring_30d: NONE,
};

/** The hours of a student, and when these change without any event. */
export const hoursOfStudent = async (
  session: Session,
  student_id: string,
): Promise<{ hours: Hours; next_at: string | null }> => {
  const found = await session.queryOne(OF_STUDENT, session.org_id, session.now, student_id);
  if (found === undefined) return { hours: NOTHING, next_at: null };
  const { next_at, ...hours } = found;
  return { hours, next_at };
};

export const hoursOfOrg = async (session: Session): Promise<Hours> =>
  (await session.queryOne(OF_ORG, session.org_id, session.now)) ?? NOTHING;

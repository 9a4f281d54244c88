import { always, hundredths, type RowOf, type Session, statement } from '@teaching/kit';
import { GEN } from './sql.ts';

/** Sums over entries: granted, consumed and balance, in this order. */
export const HOUR_SUMS = `coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
    -coalesce(sum(amount) filter (where kind in ('consume', 'reverse')), 0) as consumed,
    coalesce(sum(amount), 0) as balance`;

const SOON = "$2::timestamptz + interval '30 days'";
/** A lot that ran out counts no more, even while the entry that says so is still to come. */
const LOTS = (where: string): string => `
  select coalesce(sum(remaining) filter (where expires_at <= $2), 0) as overdue,
    coalesce(sum(remaining) filter (where expires_at > $2 and expires_at <= ${SOON}), 0) as expiring
  from lot where org_id = $1 and gen = ${GEN} and open and ${where}`;

const HOURS = {
  granted: always(hundredths()),
  consumed: always(hundredths()),
  remaining: always(hundredths()),
  expiring_30d: always(hundredths()),
};
export type Hours = RowOf<typeof HOURS>;

const hours = (account: string, lots: string) =>
  statement(
    `select round(granted, 2) as granted, round(consumed, 2) as consumed, round(balance - overdue, 2) as remaining,
       round(expiring, 2) as expiring_30d
     from (${account}) as a cross join (${lots}) as l`,
    HOURS,
  );

const OF_STUDENT = hours(
  `select granted, consumed, balance from account where org_id = $1 and gen = ${GEN} and student_id = $3`,
  LOTS('student_id = $3'),
);
const OF_ORG = hours(
  `select granted, consumed, balance from org_account where org_id = $1 and gen = ${GEN}`,
  LOTS(`expires_at <= ${SOON}`),
);
const NOTHING: Hours = { granted: '0.00', consumed: '0.00', remaining: '0.00', expiring_30d: '0.00' };

export const hoursOfStudent = async (session: Session, student_id: string): Promise<Hours> =>
  (await session.one(OF_STUDENT, session.org_id, session.now, student_id)) ?? NOTHING;

export const hoursOfOrg = async (session: Session): Promise<Hours> =>
  (await session.one(OF_ORG, session.org_id, session.now)) ?? NOTHING;

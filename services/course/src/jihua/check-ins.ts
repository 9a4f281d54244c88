import { always, bigint, p, type Session, statement } from '@teaching/kit';

const CHECKED_IN = statement(
  'select count(*) as count, max(local_date) as last from daka where org_id = $1 and jihua_id = $2',
  { count: always(bigint()), last: p.date().nullable() },
);

/** How often somebody checked in on a plan, and on which day last. */
export const checkIns = async (session: Session, jihua_id: string): Promise<{ count: number; last: string | null }> =>
  (await session.one(CHECKED_IN, session.org_id, jihua_id)) ?? { count: 0, last: null };

import type { ledgerCalls } from '@teaching/contracts';
import { notNull, bigint, type Handler, hundredths, p, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { policyInForce } from '../policy/policy.ts';
import { DUE_COLUMN, IS_DUE, readAfterExpiry } from './expire-hours.ts';
import { HOUR_ENTRY } from './hours.tables.ts';
import { summaryRange, toHourSummary } from './summary.rules.ts';

const { kind, currency } = HOUR_ENTRY.shape;
/**
 * Most entries are charges, and only their hours count. Therefore the lot is joined for grants, undone grants and
 * refunds only. An undone grant counts as a negative grant.
 */
const PARTS = statement(
  `select case when e.kind = 'reverse' and e.lesson_id is null then 'grant' else e.kind end as kind, e.currency, l.package_id,
     (array_agg(l.package_title order by e.created_at desc) filter (where l.package_title is not null))[1] as package_title,
     sum(e.amount)::numeric(16, 2) as amount, coalesce(sum(e.price_minor), 0)::bigint as price_minor,
     ${IS_DUE('$1', '$4')} as due
   from hour_entry e
   left join hour_lot l on (e.kind in ('grant', 'refund') or e.kind = 'reverse' and e.lesson_id is null)
     and l.org_id = e.org_id and l.student_id = e.student_id and l.id = e.lot_id
   where e.org_id = $1 and e.created_at >= $2 and e.created_at < $3
   group by 1, e.currency, l.package_id order by l.package_id nulls last, e.currency nulls last, 1`,
  {
    kind: notNull(kind),
    currency,
    package_id: p.uuid().nullable(),
    package_title: p.text().nullable(),
    amount: notNull(hundredths(16)),
    price_minor: notNull(bigint()),
    ...DUE_COLUMN.shape,
  },
);

/** The movements of hours and money in a range of days, from the ledger. */
export const getHourSummary: Handler<typeof ledgerCalls.getHourSummary> = async ({ query }, session) => {
  const { org_id, now } = session;
  const zone = query.zone ?? (await policyInForce(session, org_id)).zone;
  const { range, starts_at, ends_at } = summaryRange({ ...query, zone }, now);
  const read = async () => ({ items: await session.query(PARTS, org_id, starts_at, ends_at, now) });
  const { items } = await readAfterExpiry(session, read);
  auditRead(session, 'account', [], org_id);
  return { range, ...toHourSummary(items) };
};

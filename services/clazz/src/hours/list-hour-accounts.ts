import type { AccountRow, ledgerCalls } from '@teaching/contracts';
import {
  notNull,
  type Condition,
  containsKeyword,
  csvWriter,
  type Handler,
  hundredths,
  instant,
  p,
  pagedList,
  uuids,
} from '@teaching/kit';
import { EXPORT_ROWS, csvPage, isCsvRequest } from '../audit/csv-export.ts';
import { auditAccountListRead, clazzIdsOf, ownStudentsParams, isTaughtBy } from './account-access.ts';
import { DUE_JOIN, DUE_COLUMN, dueParams, readAfterExpiry } from './expire-hours.ts';
import { HOUR_ACCOUNT } from './hours.tables.ts';

const ACCOUNT = HOUR_ACCOUNT.pick('student_id', 'balance');
const ITS_OPEN_LOTS = 'hour_lot l where l.org_id = a.org_id and l.student_id = a.student_id and l.open';
const NEXT_EXPIRY = `(select min(l.expires_at) from ${ITS_OPEN_LOTS})`;
const DEBTS = 'hour_draw d where d.org_id = a.org_id and d.lot_id is null';
/** The instant before which hours expire, as `day.before`. */
const BEFORE: Condition = 'cross join (select ?::timestamptz as before) as day';

const list = pagedList({
  columns: `${ACCOUNT.withAlias('a')}, m.display_name as student_name,
    coalesce((select sum(d.amount) from ${DEBTS} and d.student_id = a.student_id), 0)::numeric(12, 2) as owed,
    coalesce((select sum(l.remaining) from ${ITS_OPEN_LOTS} and l.expires_at < day.before), 0)::numeric(12, 2) as expiring,
    ${NEXT_EXPIRY} as next_expiry,
    ${clazzIdsOf('a')} as clazz_ids, ${DUE_COLUMN.columns}`,
  shape: {
    ...ACCOUNT.shape,
    student_name: p.text().nullable(),
    owed: notNull(hundredths()),
    expiring: notNull(hundredths()),
    next_expiry: instant().nullable(),
    clazz_ids: notNull(uuids()),
    ...DUE_COLUMN.shape,
  },
  from: 'hour_account a left join member m on m.org_id = a.org_id and m.user_id = a.student_id',
  org: 'a.org_id',
  id: { by: 'a.student_id', type: 'text' },
  // The balance changes with every roll call, and names and expiries are in other tables. So no index of accounts has
  // them: a page reads all accounts of the org, as the contract says.
  sorts: {
    student_name: { by: '(case when m.display_name is null then a.student_id else m.display_name end)', type: 'text' },
    balance: { by: 'a.balance', type: 'numeric' },
    // Accounts without an expiry come last.
    next_expiry: { by: `coalesce(${NEXT_EXPIRY}, 'infinity')`, type: 'timestamptz' },
  },
  where: {
    listed: `(a.last_seq is not null or exists (select from enrolment n
      where n.org_id = a.org_id and n.student_id = a.student_id and n.status = 'active'))`,
    balance_below: 'a.balance < ?',
    owing: `a.student_id in (select d.student_id from ${DEBTS})`,
    owing_nothing: `a.student_id not in (select d.student_id from ${DEBTS})`,
    expiring: `exists (select from ${ITS_OPEN_LOTS} and l.expires_at < day.before)`,
    keyword: containsKeyword('(case when m.search is null then lower(a.student_id) else m.search end)'),
    own: isTaughtBy('a.student_id'),
  },
  joins: { day: BEFORE, due: DUE_JOIN },
});

const write = csvWriter<AccountRow>({
  student_id: 'text',
  student_name: 'text',
  balance: 'decimal',
  owed: 'decimal',
  expiring: 'decimal',
  next_expiry: 'text',
});

/** The accounts of all students that the caller may see. */
export const listHourAccounts: Handler<typeof ledgerCalls.listHourAccounts> = async ({ query }, session) => {
  const { limit, cursor, sort, in_debt, expiring_before, bom: _mark, ...filters } = query;
  const csv = isCsvRequest(session);
  const page = { cursor, sort, limit: csv ? EXPORT_ROWS : limit };
  const debt = { owing: in_debt === true, owing_nothing: in_debt === false };
  const where = {
    ...filters,
    ...debt,
    listed: true,
    expiring: expiring_before !== undefined,
    own: ownStudentsParams(session),
  };
  const joins = { day: expiring_before ?? 'infinity', due: dueParams(session) };
  const found = await readAfterExpiry(session, () => list(session, page, where, joins));
  auditAccountListRead(session, found.items);
  const items = found.items.map(({ clazz_ids: _classes, due: _none, ...account }): AccountRow => account);
  const answer = { items, next_cursor: found.next_cursor };
  return csv ? csvPage(answer, query, { name: 'accounts', write }) : answer;
};

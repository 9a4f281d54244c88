import { type accessCalls, REVOKED_PAGE_SIZE } from '@teaching/contracts';
import { notNull, type Handler, ORGANIZATION_END, p, statement } from '@teaching/kit';
import { SHUT_OUT } from './directory.tables.ts';

/**
 * How far the horizon is moved back, in transaction numbers.
 * Transactions below the horizon have ended, and their rows are visible. Later writes have the same or a higher number.
 * After a crash, Postgres may assign numbers again that left no rows. Reading 1,000 numbers twice covers this.
 */
const GIVEN_AGAIN = 1_000;
/**
 * Identifies the database instance. Transaction numbers of different instances cannot be compared.
 * It changes when the server restarts (a restored backup, a promoted standby), with another database or table, and when
 * the log was set back.
 */
const INSTANCE = statement(
  `select
     md5(concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
       (select oid from pg_database where datname = current_database()), pg_relation_filenode('shut_out'),
       (select string_agg(log || epoch, ' ' order by log) from log_head))) as database,
     greatest(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - ${GIVEN_AGAIN}, 0)::text as horizon`,
  { database: notNull(p.text()), horizon: notNull(p.text()) },
);

const LISTED = SHUT_OUT.pick('org_id', 'user_id', 'inactive', 'signed_out_at');
/** The rows after a key. One row more than a page shows that there is a next page. */
const pageAfter = (org: string, user: string): string =>
  `and (org_id, user_id) > (${org}::uuid, ${user}::text) order by org_id, user_id limit ${REVOKED_PAGE_SIZE + 1}`;
const ALL = statement(
  `select ${LISTED.columns} from shut_out where (inactive or signed_out_at is not null) ${pageAfter('$1', '$2')}`,
  LISTED.shape,
);
/**
 * Excludes rows with a number that this database has not assigned yet. They come from a restored backup and never
 * changed here.
 */
const CHANGED = statement(
  `select ${LISTED.columns} from shut_out
   where changed >= ($3::text)::xid8 and changed < pg_snapshot_xmax(pg_current_snapshot()) ${pageAfter('$1', '$2')}`,
  LISTED.shape,
);
/** Deleted organizations. Deletion is final. One answer contains all of them, because they are few. */
const ENDED = ORGANIZATION_END.pick('id');
const OVER = statement(
  `select ${ENDED.columns} from organization_end where $1::text is null or changed >= ($1::text)::xid8 order by id`,
  ENDED.shape,
);
const BEFORE_ALL = { org_id: '00000000-0000-0000-0000-000000000000', user_id: '' };

/**
 * Lists the revoked people page by page.
 * The offset is read before the page. Changes that the page does not contain are therefore after the offset, for any
 * duration of their transactions, and the next call reads them. Some rows are read twice.
 */
export const listRevokedPeople: Handler<typeof accessCalls.listRevokedPeople> = async (
  { body: { after, beyond } },
  session,
) => {
  const [instance] = await session.query(INSTANCE);
  if (instance === undefined) throw new Error('the query for the database instance returned no row');
  const { org_id, user_id } = beyond ?? BEFORE_ALL;
  const since = after?.database === instance.database ? after.horizon : undefined;
  const ended = await session.query(OVER, since ?? null);
  const rows =
    since === undefined
      ? await session.query(ALL, org_id, user_id)
      : await session.query(CHANGED, org_id, user_id, since);
  return {
    place: instance,
    whole: since === undefined,
    items: rows.slice(0, REVOKED_PAGE_SIZE),
    over: ended.map(({ id }) => id),
    more: rows.length > REVOKED_PAGE_SIZE,
  };
};

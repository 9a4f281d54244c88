import { type accessCalls, REVOKED_PAGE_SIZE } from '@teaching/contracts';
import { notNull, type Handler, ORGANIZATION_END, p, statement } from '@teaching/kit';
import { SHUT_OUT } from './directory.tables.ts';

/**
 * Transactions below the horizon are over, and what they wrote is seen; what others write has a later number, or the same.
 * A crash of Postgres may give numbers again whose transactions left nothing, so these are read once more.
 */
const GIVEN_AGAIN = 1_000;
/**
 * Where a database is another one than before, numbers of transactions mean nothing: the server was started anew (a copy was put
 * back, a standby took over), the database or the table is another, or the log found that it went back.
 */
const HERE = statement(
  `select
     md5(concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
       (select oid from pg_database where datname = current_database()), pg_relation_filenode('shut_out'),
       (select string_agg(log || epoch, ' ' order by log) from log_head))) as database,
     greatest(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - ${GIVEN_AGAIN}, 0)::text as horizon`,
  { database: notNull(p.text()), horizon: notNull(p.text()) },
);

const LISTED = SHUT_OUT.pick('org_id', 'user_id', 'inactive', 'signed_out_at');
/** The rows after one of them; one more than a page shows whether there is another page. */
const pageAfter = (org: string, user: string): string =>
  `and (org_id, user_id) > (${org}::uuid, ${user}::text) order by org_id, user_id limit ${REVOKED_PAGE_SIZE + 1}`;
const ALL = statement(
  `select ${LISTED.columns} from shut_out where (inactive or signed_out_at is not null) ${pageAfter('$1', '$2')}`,
  LISTED.shape,
);
/** A row that came with a copy may have a number that this database has not given yet; it changed here never. */
const CHANGED = statement(
  `select ${LISTED.columns} from shut_out
   where changed >= ($3::text)::xid8 and changed < pg_snapshot_xmax(pg_current_snapshot()) ${pageAfter('$1', '$2')}`,
  LISTED.shape,
);
/** Organizations that were deleted, which stay so; all of them are few. */
const ENDED = ORGANIZATION_END.pick('id');
const OVER = statement(
  `select ${ENDED.columns} from organization_end where $1::text is null or changed >= ($1::text)::xid8 order by id`,
  ENDED.shape,
);
const BEFORE_ALL = { org_id: '00000000-0000-0000-0000-000000000000', user_id: '' };

/**
 * The revoked people, page by page. The offset is taken before the page is read: so whatever the page does not show lies behind
 * the place, however long its transaction goes on, and is read from there. Of some that comes twice.
 */
export const listShutOut: Handler<typeof accessCalls.listRevokedPeople> = async (
  { body: { after, beyond } },
  session,
) => {
  const [here] = await session.query(HERE);
  if (here === undefined) throw new Error('a database is somewhere');
  const { org_id, user_id } = beyond ?? BEFORE_ALL;
  const since = after?.database === here.database ? after.horizon : undefined;
  const ended = await session.query(OVER, since ?? null);
  const rows =
    since === undefined
      ? await session.query(ALL, org_id, user_id)
      : await session.query(CHANGED, org_id, user_id, since);
  return {
    place: here,
    whole: since === undefined,
    items: rows.slice(0, REVOKED_PAGE_SIZE),
    over: ended.map(({ id }) => id),
    more: rows.length > REVOKED_PAGE_SIZE,
  };
};

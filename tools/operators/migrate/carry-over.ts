import { Client } from 'pg';
import { addressOf } from '../../../libs/kit/src/db/address.ts';

/**
 * Rows that one service kept for another one before the tables moved. No service may read another's schema, so this runs beside
 * the migrations. Rows are copied once; rows that changed in the new place stay.
 */
const CARRIED = `
  with theirs as (update course.member set seq = 0 where seq is null returning *)
  insert into clazz.member (org_id, user_id, role, roles, display_name, external_id, created_at, updated_at)
  select org_id, user_id, role, array[role], display_name, external_id, created_at, updated_at from theirs
  on conflict do nothing`;
/** Whether both services keep their tables in this database. */
const ARE_HERE = "select to_regclass('course.member') is not null and to_regclass('clazz.member') is not null as both";

/** Copies rows to the service that owns them now, after all migrations. Returns their number. Repeating it does nothing. */
export const carryOver = async (adminUrl: string): Promise<number> => {
  const client = new Client(addressOf(adminUrl).nextLogin().options);
  // A lost connection also fails the query in progress, which reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ both: boolean }>(ARE_HERE);
    return rows[0]?.both === true ? ((await client.query(CARRIED)).rowCount ?? 0) : 0;
  } finally {
    await client.end();
  }
};

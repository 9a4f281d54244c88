import { Client } from 'pg';
import { addressOf } from '../../../libs/kit/src/db/address.ts';

/**
 * What one service kept for another before it moved: no service may look into another's schema, so this is done beside
 * their migrations. Rows go over once; whoever was changed over there since is left alone.
 */
const CARRIED = `
  with theirs as (update course.member set seq = 0 where seq is null returning *)
  insert into clazz.member (org_id, user_id, role, roles, display_name, external_id, created_at, updated_at)
  select org_id, user_id, role, array[role], display_name, external_id, created_at, updated_at from theirs
  on conflict do nothing`;
/** Whether both services keep their tables in this database. */
const ARE_HERE = "select to_regclass('course.member') is not null and to_regclass('clazz.member') is not null as both";

/** Brings rows to the service they belong to since, when all are migrated; answers how many. Once more does nothing. */
export const carryOver = async (adminUrl: string): Promise<number> => {
  const client = new Client(addressOf(adminUrl).next().options);
  // A lost connection fails the query in hand, which tells enough.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ both: boolean }>(ARE_HERE);
    return rows[0]?.both === true ? ((await client.query(CARRIED)).rowCount ?? 0) : 0;
  } finally {
    await client.end();
  }
};

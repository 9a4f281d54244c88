import { p, statement, table, type WorkerTransaction } from '@teaching/kit';
import { GEN } from './sql-fragments.ts';

/** The last change of what statistics know of an organization. No two have the same id, not even in two copies of a database. */
export const ORG_CHANGE = table('org_change', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid(),
});

const NOTE_CHANGE = statement(
  `insert into org_change (gen, org_id, id) select $1, org_id, gen_random_uuid() from unnest($2::uuid[]) as e(org_id)
   on conflict (org_id, gen) do update set id = excluded.id`,
);

/**
 * Notes that something of these organizations changes, in the transaction that changes it: a read of the id sees the
 * rows as they are with it. Whatever else writes rows of the generation that counts, such as a migration, has to do the same.
 */
export const noteChange = (tx: WorkerTransaction, gen: number, org_ids: Iterable<string>): void =>
  tx.run(NOTE_CHANGE, gen, [...new Set(org_ids)]);

/** The last change of organization $1; none before it has any rows. */
export const LAST_CHANGE = statement(
  `select id from org_change where org_id = $1 and gen = ${GEN}`,
  ORG_CHANGE.pick('id').shape,
);

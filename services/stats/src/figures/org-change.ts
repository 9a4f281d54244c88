import { statement, type WorkerTx } from '@teaching/kit';
import { ORG_CHANGE } from './org-change.table.ts';
import { GEN } from './sql.ts';

const NOTE = statement(
  `insert into org_change (gen, org_id, id) select $1, org_id, gen_random_uuid() from unnest($2::uuid[]) as e(org_id)
   on conflict (org_id, gen) do update set id = excluded.id`,
);

/**
 * Notes that something of these organizations changes, in the transaction that changes it: whoever reads the id sees the
 * rows as they are with it. Whatever else writes rows of the generation that counts, such as a migration, has to do the same.
 */
export const noteChange = (tx: WorkerTx, gen: number, org_ids: Iterable<string>): void =>
  tx.run(NOTE, gen, [...new Set(org_ids)]);

/** The last change of organization $1; none before it has any rows. */
export const LAST_CHANGE = statement(
  `select id from org_change where org_id = $1 and gen = ${GEN}`,
  ORG_CHANGE.some('id').shape,
);

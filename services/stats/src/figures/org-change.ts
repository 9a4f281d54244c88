import { p, statement, table, type WorkerTransaction } from '@teaching/kit';
import { CURRENT_GEN } from './sql-fragments.ts';

/**
 * The last change of an organization's statistics. Every change has a new random id, so ids also differ between copies
 * of a database.
 */
export const ORG_CHANGE = table('org_change', {
  org_id: p.uuid().primary(),
  gen: p.integer().primary(),
  id: p.uuid(),
});

const PUT_CHANGE = statement(
  `insert into org_change (gen, org_id, id) select $1, org_id, gen_random_uuid() from unnest($2::uuid[]) as e(org_id)
   on conflict (org_id, gen) do update set id = excluded.id`,
);

/**
 * Records a change of these organizations, in the transaction that makes the change. So a read of the id is consistent
 * with the rows. All other code that writes rows of the current generation, such as a migration, must do the same.
 */
export const recordOrgChange = (tx: WorkerTransaction, gen: number, org_ids: Iterable<string>): void =>
  tx.run(PUT_CHANGE, gen, [...new Set(org_ids)]);

/** Reads the id of the last change of organization $1. No row: the organization has no statistics yet. */
export const READ_LAST_CHANGE = statement(
  `select id from org_change where org_id = $1 and gen = ${CURRENT_GEN}`,
  ORG_CHANGE.pick('id').shape,
);

import { type TransactionalMigration, migration } from './migration.ts';

/** Rows that a table may gain before it is sampled. */
const FIRST = 20_000;

/**
 * Postgres samples 30,000 rows of a table anew whenever a tenth of them changed. A young one that only grows is sampled every
 * few seconds, each time for 0.1 to 0.4 s of a core that requests wait for. For tables that only grow and whose plans by key and by index are the
 * same without a sample; a filter that is in no index (the trail by actor or action) may look at all that its organization has until then.
 */
export const analyzeLate = (name: string, ...tables: readonly string[]): TransactionalMigration =>
  migration(
    name,
    tables.map((table) => `alter table ${table} set (autovacuum_analyze_threshold = ${FIRST});`).join('\n'),
  );

import { type TransactionalMigration, migration } from './migration.ts';

/** Rows that a table may gain before it is analyzed. */
const FIRST = 20_000;

/**
 * Raises the threshold for the automatic ANALYZE of tables that only grow. Postgres samples 30,000 rows of a table
 * whenever a tenth of them changed. A new table that only grows is sampled every few seconds, each time with 0.1 to 0.4
 * s of CPU that requests wait for.
 *
 * Only for tables whose plans by key and by index do not depend on the sample. Until then a filter without an index
 * (the audit log by actor or action) may read all rows of its organization.
 */
export const analyzeLate = (name: string, ...tables: readonly string[]): TransactionalMigration =>
  migration(
    name,
    tables.map((table) => `alter table ${table} set (autovacuum_analyze_threshold = ${FIRST});`).join('\n'),
  );

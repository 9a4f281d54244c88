import type { MigrationStep } from './migration-steps.ts';

/** A statement of a migration, at once; `?` stands for a parameter. */
type RunSql = (sql: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** All of it in one transaction, with others that are pending before and after it. */
export interface TransactionalMigration {
  name: string;
  /** What it says, for those who look at it before it runs. */
  sql: string;
  /** Goes on where `sql` ended, in the same transaction. */
  work?: (run: RunSql) => Promise<void>;
}

/** Steps that stand by themselves; ended anywhere, the next run does what is left. */
export interface StepwiseMigration {
  name: string;
  steps: readonly MigrationStep[];
}

export type MigrationEntry = TransactionalMigration | StepwiseMigration;

/**
 * Whether no instance from before it may run beside it or after it, by its name: earlier code knows that of a later
 * migration, too.
 */
export const isRunAlone = (name: string): boolean => name.endsWith('_alone');

/** Took away what release 0.1.0 wrote its events to. */
const FORMER_LOG = '100_numbered_log';

/** Whether all instances have to be stopped before it is applied. */
export const requiresStoppedInstances = (name: string): boolean => name === FORMER_LOG || isRunAlone(name);

/** A migration from plain SQL. Names sort; a published one is never changed. */
export const migration = (name: string, sql: string): TransactionalMigration => ({ name, sql });

/** A migration that has to compute: `work` goes on where `sql` ended, in the same transaction. */
export const computedMigration = (
  name: string,
  sql: string,
  work: (run: RunSql) => Promise<void>,
): TransactionalMigration => ({
  name,
  sql,
  work,
});

/** A migration of a large table: what would hold up writers in one transaction. */
export const stepwise = (name: string, ...steps: readonly MigrationStep[]): StepwiseMigration => ({ name, steps });

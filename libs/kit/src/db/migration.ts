import type { MigrationStep } from './migration-steps.ts';

/** Runs a statement of a migration at once. `?` stands for a parameter. */
type RunSql = (sql: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** A migration that runs in one transaction, together with pending ones before and after it. */
export interface TransactionalMigration {
  name: string;
  /** Its SQL, also for people who read it before it runs. */
  sql: string;
  /** Runs after `sql`, in the same transaction. */
  work?: (run: RunSql) => Promise<void>;
}

/** A migration of independent steps. If it is interrupted, the next run does the rest. */
export interface StepwiseMigration {
  name: string;
  steps: readonly MigrationStep[];
}

export type MigrationEntry = TransactionalMigration | StepwiseMigration;

/**
 * Whether no instance with earlier code may run beside or after this migration. The name shows it, so earlier code
 * recognizes later migrations too.
 */
export const isExclusiveMigration = (name: string): boolean => name.endsWith('_alone');

/** The migration that removed the event tables of release 0.1.0. */
const FORMER_LOG = '100_numbered_log';

/** Whether all instances must be stopped before the migration is applied. */
export const requiresStoppedInstances = (name: string): boolean => name === FORMER_LOG || isExclusiveMigration(name);

/** A migration of plain SQL. Names sort by order of application; a published migration is never changed. */
export const migration = (name: string, sql: string): TransactionalMigration => ({ name, sql });

/** A migration that computes: `work` runs after `sql`, in the same transaction. */
export const computedMigration = (
  name: string,
  sql: string,
  work: (run: RunSql) => Promise<void>,
): TransactionalMigration => ({
  name,
  sql,
  work,
});

/** A migration of a large table in steps: one transaction would block writers for too long. */
export const stepwise = (name: string, ...steps: readonly MigrationStep[]): StepwiseMigration => ({ name, steps });

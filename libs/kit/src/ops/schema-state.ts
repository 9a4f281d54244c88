import type { Logger } from 'pino';
import { databaseFault } from '../db/database-fault.ts';
import { isExclusiveMigration } from '../db/migration.ts';
import { reasonOf } from '../telemetry/failure-log.ts';
import type { DatabaseProbe } from './database-probe.ts';
import type { DependencyProblems } from './readiness.ts';

const NO_SUCH_TABLE = '42P01';

/** The difference between a schema and the code, by names of migrations. */
export interface SchemaState {
  /** Migrations without which the code cannot run. */
  missing: readonly string[];
  /** Migrations of newer code, the last first. This code can run beside them, unless one of them is exclusive. */
  unknown: readonly string[];
}

export const schemaState = (applied: readonly string[], wanted: readonly string[]): SchemaState => ({
  missing: wanted.filter((name) => !applied.includes(name)),
  unknown: applied.filter((name) => !wanted.includes(name)).toReversed(),
});

/** Up to three names, and the number of further ones. */
export const someNames = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;

/**
 * Returns a check of the database: access with both roles, and a schema that is neither older than the code nor changed
 * exclusively for newer code. A newer schema is logged once.
 */
export const checkDatabase = (
  [app, worker]: readonly [DatabaseProbe, DatabaseProbe],
  wanted: readonly string[],
  log: Logger,
): (() => Promise<DependencyProblems>) => {
  let logged = '';
  const logNewerSchema = (unknown: readonly string[]): void => {
    if (unknown.length > 0 && logged !== someNames(unknown))
      log.warn(`the schema is newer than this code: it has ${someNames(unknown)}`);
    logged = someNames(unknown);
  };
  const schemaProblem = (applied: readonly string[]): string | undefined => {
    const { missing, unknown } = schemaState(applied, wanted);
    logNewerSchema(unknown);
    const exclusive = unknown.filter(isExclusiveMigration);
    if (exclusive.length > 0)
      return `it has ${someNames(exclusive)}, beside which this code cannot run: start the newer release`;
    return missing.length === 0
      ? undefined
      : `it lacks ${someNames(missing)}: run tools/migrate.ts, or set MIGRATION_DATABASE_URL`;
  };
  /** A schema without the table of migrations has no migration. */
  const appliedIn = (look: DatabaseProbe): Promise<string[]> =>
    look.appliedMigrations().catch((error: unknown) => {
      if (databaseFault(error)?.code === NO_SUCH_TABLE) return [];
      throw error;
    });
  const problemOf = (look: PromiseSettledResult<string[]>): string | undefined =>
    look.status === 'rejected' ? reasonOf(look.reason) : undefined;
  return async () => {
    const [asApp, asWorker] = await Promise.allSettled([appliedIn(app), appliedIn(worker)]);
    return {
      database: problemOf(asApp),
      worker_database: problemOf(asWorker),
      schema: asApp.status === 'fulfilled' ? schemaProblem(asApp.value) : undefined,
    };
  };
};

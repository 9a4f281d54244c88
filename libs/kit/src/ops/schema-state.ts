import type { Logger } from 'pino';
import { databaseFault } from '../db/database-fault.ts';
import { isRunAlone } from '../db/migration.ts';
import { reasonOf } from '../telemetry/failure-log.ts';
import type { DatabaseProbe } from './database-probe.ts';
import type { InstanceNeeds } from './readiness.ts';

const NO_SUCH_TABLE = '42P01';

/** How a schema stands to the code that runs on it, by the names of migrations. */
export interface SchemaState {
  /** Without these the code cannot run. */
  lacks: readonly string[];
  /** Applied by newer code; this one runs on, unless that is code beside which none other runs. The last first. */
  unknown: readonly string[];
}

export const schemaState = (applied: readonly string[], wanted: readonly string[]): SchemaState => ({
  lacks: wanted.filter((name) => !applied.includes(name)),
  unknown: applied.filter((name) => !wanted.includes(name)).toReversed(),
});

/** A few of them by name. */
export const someNames = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;

/**
 * What an instance needs of its database: both of its roles, and a schema that is neither behind its code nor changed for
 * newer code alone. One that is newer is said once.
 */
export const checkDatabase = (
  [app, worker]: readonly [DatabaseProbe, DatabaseProbe],
  wanted: readonly string[],
  log: Logger,
): (() => Promise<InstanceNeeds>) => {
  let told = '';
  const tellNewer = (unknown: readonly string[]): void => {
    if (unknown.length > 0 && told !== someNames(unknown))
      log.warn(`the schema is newer than this code: it has ${someNames(unknown)}`);
    told = someNames(unknown);
  };
  const schemaNeed = (applied: readonly string[]): string | undefined => {
    const { lacks, unknown } = schemaState(applied, wanted);
    tellNewer(unknown);
    const taken = unknown.filter(isRunAlone);
    if (taken.length > 0)
      return `it has ${someNames(taken)}, beside which this code cannot run: start the newer release`;
    return lacks.length === 0
      ? undefined
      : `it lacks ${someNames(lacks)}: run tools/migrate.ts, or set MIGRATION_DATABASE_URL`;
  };
  /** A schema without the table of migrations has none of them. */
  const appliedIn = (look: DatabaseProbe): Promise<string[]> =>
    look.applied().catch((error: unknown) => {
      if (databaseFault(error)?.code === NO_SUCH_TABLE) return [];
      throw error;
    });
  const wrong = (look: PromiseSettledResult<string[]>): string | undefined =>
    look.status === 'rejected' ? reasonOf(look.reason) : undefined;
  return async () => {
    const [asApp, asWorker] = await Promise.allSettled([appliedIn(app), appliedIn(worker)]);
    return {
      database: wrong(asApp),
      worker_database: wrong(asWorker),
      schema: asApp.status === 'fulfilled' ? schemaNeed(asApp.value) : undefined,
    };
  };
};

import type { Logger } from 'pino';
import { DatabaseAddress } from '../db/address.ts';
import { migrate } from '../db/migrate.ts';
import { SharedSessionError, requireSessionPooling } from '../db/session-pooling.ts';
import { commonMigrations } from '../db/schema.ts';
import { connectBus } from '../rpc/message-bus.ts';
import { createLogger } from '../telemetry/log.ts';
import { reasonOf } from '../telemetry/failure-log.ts';
import { startTelemetry } from '../telemetry/sdk.ts';
import type { App } from './app.ts';
import { type Env, readConfig, serviceConfig } from './config.ts';
import { type Health, serveHealth } from './health.ts';
import { runAsLeader, type Lease } from './lease.ts';
import { watchInstanceMetrics } from './instance-metrics.ts';
import { checkDatabase } from './schema-state.ts';
import { connectionsOf, createInstanceParts } from './instance-parts.ts';
import { createReadiness, type DependencyProblems } from './readiness.ts';
import { createHealthReport } from './health-report.ts';

export interface Running {
  stop(): Promise<void>;
  /** Resolves when it can no longer work and only a new process helps. */
  failed?: Promise<Error>;
}

export interface RunningService extends Running {
  /** Its health address, e.g. `http://127.0.0.1:8081`. */
  health: string;
}

export interface Overrides {
  clock?: () => Date;
  log?: Logger;
  /** Aborts the start in any state. */
  stop?: AbortSignal;
}

const now = (): Date => new Date();
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Starts a service: applies migrations, connects, and once all dependencies are available answers calls, numbers and
 * follows events, and runs jobs. Resolves when it takes calls for the first time, or when it is told to stop before.
 */
export const startService = async (app: App, env: Env, overrides: Overrides = {}): Promise<RunningService> => {
  const { name } = app;
  const config = readConfig(serviceConfig, env, { report: (trouble) => log.warn(trouble) });
  const {
    clock = now,
    log = createLogger(name, config.LOG_LEVEL),
    stop: stopStart = new AbortController().signal,
  } = overrides;
  const stopTelemetry = await startTelemetry(name, config);
  let report: (() => Promise<Health>) | undefined;
  const health = await serveHealth(config, async () => report?.() ?? { ready: false, report: {} });
  if (config.MIGRATION_DATABASE_URL !== undefined) {
    const owner = new DatabaseAddress(config.MIGRATION_DATABASE_URL, config.MIGRATION_DATABASE_PASSWORD);
    const count = await migrate(owner, name, app.migrations, {
      report: (line) => log.info(line),
      waitForDatabase: { log, stop: stopStart },
    });
    if (count > 0) log.info({ count }, 'migrated');
  }
  const bus = await connectBus(config, name, log, stopStart);
  const { server, probes, addresses, ...parts } = createInstanceParts(app, config, bus, log, clock);
  log.info({ connections: connectionsOf(config) }, 'largest number of connections to Postgres');

  const stopping = new AbortController();
  let lease: Lease | undefined;
  let leading: Promise<void> | undefined;
  const lead = async (mine: Lease): Promise<void> => {
    lease = mine;
    await parts.leaderWork(mine).finally(() => {
      lease = undefined;
    });
  };
  const wanted = [...commonMigrations(name), ...app.migrations].map((migration) => migration.name);
  const checkDependencies = checkDatabase(probes, wanted, log);
  const joined = Promise.withResolvers<void>();
  let hasOwnSession = false;
  const check = async (): Promise<DependencyProblems> => {
    const ofBus = { bus: bus.isUp() ? undefined : 'the broker is not reachable' };
    try {
      if (!hasOwnSession) await requireSessionPooling(addresses.app);
      hasOwnSession = true;
    } catch (error) {
      if (error instanceof SharedSessionError) joined.reject(error);
      return { ...ofBus, database: reasonOf(error) };
    }
    return { ...ofBus, ...(await checkDependencies()) };
  };
  const readiness = createReadiness({
    log,
    check,
    join: () => {
      server.join();
      leading ??= runAsLeader({ address: addresses.worker, name, log, stop: stopping.signal }, lead);
      log.info({ instance: server.id }, 'serving');
      joined.resolve();
    },
    leave: () => {
      log.warn('takes no calls until all dependencies are available');
      server.leave().catch((error: unknown) => log.error({ err: error }, 'could not stop taking calls'));
    },
  });
  bus.onDown(readiness.checkNow);
  bus.onUp(readiness.checkNow);
  for (const one of probes) one.onLost = readiness.checkNow;
  const stopMeasuring = watchInstanceMetrics({ ...parts, service: name, server, bus, lease: () => lease });
  report = createHealthReport({ ...parts, service: name, bus, server, readiness, lease: () => lease });
  const watching = readiness.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    stopMeasuring();
    await server.leave();
    await Promise.all([watching, leading]);
    await parts.close();
    await health.close();
    await stopTelemetry();
  };
  let stopped: Promise<void> | undefined;
  try {
    await Promise.race([joined.promise, aborted(stopStart)]);
    if (bus.isUp()) await bus.nc.flush();
  } catch (error) {
    await stop();
    throw error;
  }
  return { health: health.address, failed: bus.failed, stop: () => (stopped ??= stop()) };
};

import type { Logger } from 'pino';
import { z } from 'zod';
import { createSigner } from '../base/sign.ts';
import { migrate } from '../db/migrate.ts';
import { createPool } from '../db/pool.ts';
import { machineryMigrations, type MigrationEntry } from '../db/schema.ts';
import { SharedReads } from '../db/shared-reads.ts';
import { deadLetterRoutes } from '../log/dead-letters.ts';
import { follow, type FollowerDef } from '../log/follow.ts';
import { createInclusion } from '../log/inclusion.ts';
import { keepLogs } from '../log/keep-logs.ts';
import { LogOutbox } from '../log/outbox.ts';
import { statusRoutes } from '../log/status.ts';
import { connectBus } from '../rpc/connect.ts';
import type { Route } from '../rpc/handler.ts';
import { performer } from '../rpc/perform.ts';
import { createRequester } from '../rpc/requester.ts';
import { serve } from '../rpc/serve.ts';
import { createLogger } from '../telemetry/log.ts';
import { startTelemetry } from '../telemetry/sdk.ts';
import { type Env, readConfig, serviceConfig } from './config.ts';
import { serveHealth } from './health.ts';
import { commonJobs, type Job, repeatJob } from './jobs.ts';
import { asLeader, type Lease, together } from './lease.ts';
import { DatabaseLook } from './database-look.ts';
import { databaseNeeds } from './needs.ts';
import { createReadiness } from './readiness.ts';
import { reporter } from './report.ts';

/** Is told of events as they pass, without memory: for dropping what a cache holds. */
export interface Listener {
  subject: string;
  onMessage: () => void;
}

/** A service as data: what it answers, follows and repeats. Opens nothing. */
export interface App {
  name: string;
  routes: readonly Route[];
  listeners: readonly Listener[];
  follower: FollowerDef | undefined;
  jobs: readonly Job[];
  migrations: readonly MigrationEntry[];
}

export interface Running {
  stop(): Promise<void>;
  /** Settles when it can no longer do its work, and nothing but a new process helps. */
  failed?: Promise<Error>;
}

export interface RunningService extends Running {
  /** Where it says how it is, e.g. `http://127.0.0.1:8081`. */
  health: string;
}

export interface Overrides {
  clock?: () => Date;
  log?: Logger;
  /** Ends the start, whatever it waits for. */
  stop?: AbortSignal;
}

/**
 * Starts a service: migrates, connects, and once it has all it needs answers calls, numbers and follows events, runs
 * jobs. Resolves when it takes part for the first time, or when it is told to stop.
 */
export const startService = async (app: App, env: Env, overrides: Overrides = {}): Promise<RunningService> => {
  const config = readConfig(z.object(serviceConfig), env);
  const { name } = app;
  const clock = overrides.clock ?? (() => new Date());
  const log = overrides.log ?? createLogger(name, config.LOG_LEVEL);
  const stopTelemetry = await startTelemetry(name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const health = await serveHealth(config, async () =>
    report === undefined ? { ready: false, report: {} } : report(),
  );
  let report: ReturnType<typeof reporter> | undefined;
  if (config.MIGRATION_DATABASE_URL !== undefined) {
    const count = await migrate(config.MIGRATION_DATABASE_URL, name, app.migrations);
    if (count > 0) log.info({ count }, 'migrated');
  }
  const bus = await connectBus(config, name, log, overrides.stop);
  const pool = createPool(config.DATABASE_URL, config.DATABASE_POOL, name, log);
  const reads = new SharedReads(config.DATABASE_URL, config.DATABASE_LANES, `${name} read`, log);
  const workers = createPool(config.WORKER_DATABASE_URL, 6, `${name} worker`, log);
  // Numbering, publishing and pages for readers of the log take nobody else's connection.
  const logPool = createPool(config.WORKER_DATABASE_URL, 4, `${name} log`, log);
  const looks = {
    app: new DatabaseLook(config.DATABASE_URL, `${name} look`),
    worker: new DatabaseLook(config.WORKER_DATABASE_URL, `${name} worker look`),
  };
  const requester = createRequester(bus);
  const logs = keepLogs({
    service: name,
    bus,
    pool: logPool,
    log,
    limits: { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES },
  });
  const inclusion = createInclusion({ pool: workers, requester }, app.follower, (tx_id) => followed?.applied(tx_id));
  const worker = { pool: workers, clock, onEvents: logs.nudge, checkEvents: config.CHECK_REPLIES };
  const followed =
    app.follower && follow({ ...worker, bus, requester, log, onApplied: inclusion.applied }, app.follower);
  for (const { subject, onMessage } of app.listeners) bus.nc.subscribe(subject, { callback: onMessage });
  const perform = performer({
    service: name,
    pool,
    reads,
    workers,
    inclusion,
    requester,
    signer: createSigner(config.SIGNING_SECRET),
    outbox: (now) => new LogOutbox(now, config.CHECK_REPLIES),
    clock,
    checkReplies: config.CHECK_REPLIES,
    onEvents: logs.nudge,
  });
  const own = [...deadLetterRoutes(name, worker), ...statusRoutes(name)];
  const server = serve(bus, [...own, ...app.routes], perform, {
    service: name,
    concurrency: config.CONCURRENCY,
    transactions: config.DATABASE_POOL,
    log,
  });

  const stopping = new AbortController();
  let lease: Lease | undefined;
  let duties: Promise<void> | undefined;
  const jobs = [...commonJobs(name), ...app.jobs];
  const doDuties = together(
    ({ signal }) => logs.run(signal),
    async ({ signal }) => followed?.run(signal),
    ...jobs.map((job) => (mine: Lease) => repeatJob({ ...worker, log }, mine, job)),
  );
  const lead = async (mine: Lease): Promise<void> => {
    lease = mine;
    await doDuties(mine).finally(() => {
      lease = undefined;
    });
  };
  const wanted = [...machineryMigrations(name), ...app.migrations].map((migration) => migration.name);
  let onJoined = (): void => {};
  const joined = new Promise<void>((resolve) => {
    onJoined = resolve;
    for (const signal of [overrides.stop, stopping.signal]) signal?.addEventListener('abort', () => resolve());
    if (overrides.stop?.aborted) resolve();
  });
  const readiness = createReadiness({
    log,
    look: async () => ({
      bus: bus.isUp() ? undefined : 'the message bus is not reachable',
      ...(await databaseNeeds(looks.app, looks.worker, wanted)),
    }),
    join: () => {
      server.join();
      duties ??= asLeader({ url: config.WORKER_DATABASE_URL, name, log, stop: stopping.signal }, lead);
      log.info('serving');
      onJoined();
    },
    leave: () => {
      log.warn('takes no calls until it has all it needs');
      server.leave().catch((error: unknown) => log.error({ err: error }, 'could not leave'));
    },
  });
  report = reporter({ service: name, worker, pool, server, readiness, lease: () => lease });
  const watching = readiness.run(stopping.signal);
  await joined;
  if (bus.isUp()) await bus.nc.flush();

  const stop = async (): Promise<void> => {
    stopping.abort();
    await server.leave();
    await Promise.all([watching, duties]);
    logs.stop();
    requester.stop();
    await bus.close();
    await Promise.all([pool.end(), reads.end(), workers.end(), logPool.end(), looks.app.end(), looks.worker.end()]);
    await health.close();
    await stopTelemetry();
  };
  let stopped: Promise<void> | undefined;
  return { health: health.address, stop: () => (stopped ??= stop()), failed: bus.failed };
};

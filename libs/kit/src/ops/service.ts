import type { Logger } from 'pino';
import { z } from 'zod';
import { createSigner } from '../base/sign.ts';
import { migrate } from '../db/migrate.ts';
import { createPool, REQUEST_SETTINGS } from '../db/pool.ts';
import type { MigrationEntry } from '../db/schema.ts';
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
import { commonJobs, type Job, repeatJob } from './jobs.ts';
import { asLeader, type Lease, together } from './lease.ts';

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
}

export interface Overrides {
  clock?: () => Date;
  log?: Logger;
}

/** Starts a service: migrates, connects, answers calls, numbers and follows events, runs jobs. */
export const startService = async (app: App, env: Env, overrides: Overrides = {}): Promise<Running> => {
  const config = readConfig(z.object(serviceConfig), env);
  const clock = overrides.clock ?? (() => new Date());
  const log = overrides.log ?? createLogger(app.name, config.LOG_LEVEL);
  const stopTelemetry = await startTelemetry(app.name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  if (config.MIGRATION_DATABASE_URL !== undefined) {
    const count = await migrate(config.MIGRATION_DATABASE_URL, app.name, app.migrations);
    if (count > 0) log.info({ count }, 'migrated');
  }
  const jobs = [...commonJobs(app.name), ...app.jobs];
  const pool = createPool(config.DATABASE_URL, config.DATABASE_POOL, app.name, log, REQUEST_SETTINGS);
  const reads = new SharedReads(config.DATABASE_URL, config.DATABASE_LANES, `${app.name} read`, log);
  const workers = createPool(config.WORKER_DATABASE_URL, 6, `${app.name} worker`, log);
  // Numbering, publishing and pages for readers of the log take nobody else's connection.
  const logPool = createPool(config.WORKER_DATABASE_URL, 4, `${app.name} log`, log);
  const bus = await connectBus(config, app.name, log);
  const requester = createRequester(bus);
  const logs = keepLogs({
    service: app.name,
    bus,
    pool: logPool,
    log,
    limits: { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES },
  });
  const inclusion = createInclusion({ pool: workers, requester }, app.follower, (tx_id) => followed?.applied(tx_id));
  const worker = { pool: workers, clock, onEvents: logs.nudge, checkEvents: config.CHECK_REPLIES };
  const followed =
    app.follower && follow({ ...worker, bus, requester, log, onApplied: inclusion.applied }, app.follower);
  const stopDuties = new AbortController();
  const duties = asLeader(
    { url: config.WORKER_DATABASE_URL, name: app.name, log, stop: stopDuties.signal },
    together(
      ({ signal }) => logs.run(signal),
      async ({ signal }) => followed?.run(signal),
      ...jobs.map((job) => (lease: Lease) => repeatJob({ ...worker, log }, lease, job)),
    ),
  );
  for (const { subject, onMessage } of app.listeners) bus.nc.subscribe(subject, { callback: onMessage });
  const perform = performer({
    service: app.name,
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
  const own = [...deadLetterRoutes(app.name, worker), ...statusRoutes(app.name)];
  const server = serve(bus, [...own, ...app.routes], perform, {
    service: app.name,
    concurrency: config.CONCURRENCY,
    log,
  });
  await bus.nc.flush();
  log.info('serving');
  const stop = async (): Promise<void> => {
    await server.stop();
    stopDuties.abort();
    await duties;
    logs.stop();
    requester.stop();
    await bus.close();
    await Promise.all([pool.end(), reads.end(), workers.end(), logPool.end()]);
    await stopTelemetry();
  };
  let stopping: Promise<void> | undefined;
  return { stop: () => (stopping ??= stop()) };
};

import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { connectBus } from './bus/connect.ts';
import { createRequester } from './bus/requester.ts';
import { IDEMPOTENCY_HOURS } from './call/idempotency.ts';
import type { Route } from './call/handler.ts';
import { performer } from './call/perform.ts';
import { serve } from './call/serve.ts';
import { ConfigError, type Env, readConfig, serviceConfig } from './config.ts';
import type { Job } from './job.ts';
import { asLeader, type Lease, together, wait } from './db/lease.ts';
import { migrate } from './db/migrate.ts';
import { ReadLanes } from './db/lanes.ts';
import { createPool } from './db/pool.ts';
import type { MigrationEntry } from './db/schema.ts';
import { statement } from './db/statement.ts';
import { cutAuditLog } from './log/cut-log.ts';
import { deadLetterRoutes } from './log/dead-letters.ts';
import { follow, type FollowerDef } from './log/follow.ts';
import { createInclusion } from './log/inclusion.ts';
import { keepLogs } from './log/keep-logs.ts';
import { logName } from './log/place.ts';
import { logsOf } from './log/source.ts';
import { statusRoutes } from './log/status.ts';
import { inWorkerTx, type WorkerDeps, type WorkerTx } from './log/tx.ts';
import { createSigner } from './sign.ts';
import { createLogger, type Logger } from './telemetry/log.ts';
import { startTelemetry } from './telemetry/sdk.ts';

/** Hears events as they pass, without memory: for dropping what a cache holds. */
export interface Listener {
  subject: string;
  heard: () => void;
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
}

const CLEAN_KEYS = statement(
  `delete from idempotency_key where created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'`,
);

const housekeeping: Job = {
  name: 'housekeeping',
  every_ms: 600_000,
  run: async (tx) => tx.run(CLEAN_KEYS),
};

/** An audit log is cut; the log of a domain never is. */
const logJobs = (service: string): Job[] =>
  logsOf(service).includes('audit') ? [cutAuditLog(logName(service, 'audit'))] : [];

const TERM = statement<{ term: number }>('select term from duty where name = $1 for share');

/** Runs a job again and again while the lease lasts. A former leader that does not know so yet changes nothing. */
const repeat = async (
  deps: WorkerDeps,
  { term, signal }: Lease,
  duty: string,
  job: Job,
  log: Logger,
): Promise<void> => {
  const once = (tx: WorkerTx): Promise<void> =>
    tx.query(TERM, duty).then(([now]) => (now?.term === term ? job.run(tx, log) : undefined));
  while (!signal.aborted) {
    await inWorkerTx(deps, once).catch((error: unknown) => log.error({ err: error, job: job.name }, 'job failed'));
    await wait(job.every_ms, signal);
  }
};

/** Starts a service: migrate, connect, answer calls, relay and consume events, run jobs. */
export const startService = async (app: App, env: Env, overrides: Overrides = {}): Promise<Running> => {
  const config = readConfig(z.object(serviceConfig), env);
  const clock = overrides.clock ?? (() => new Date());
  const log = createLogger(app.name, config.LOG_LEVEL);
  const stopTelemetry = await startTelemetry(app.name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  if (config.MIGRATION_DATABASE_URL !== undefined) {
    const count = await migrate(config.MIGRATION_DATABASE_URL, app.name, app.migrations);
    if (count > 0) log.info({ count }, 'migrated');
  }
  const jobs = [housekeeping, ...logJobs(app.name), ...app.jobs];
  const pool = createPool(config.DATABASE_URL, config.DATABASE_POOL, app.name, log);
  const lanes = new ReadLanes(config.DATABASE_URL, config.DATABASE_LANES, `${app.name} read`, log);
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
  const worker = { pool: workers, clock, onEvents: logs.nudge };
  const followed =
    app.follower && follow({ ...worker, bus, requester, log, onApplied: inclusion.applied }, app.follower);
  const stopDuties = new AbortController();
  const duties = asLeader(
    { url: config.WORKER_DATABASE_URL, name: app.name, log, stop: stopDuties.signal },
    together(
      (lease) => logs.run(lease),
      async (lease) => followed?.run(lease),
      ...jobs.map((job) => (lease: Lease) => repeat(worker, lease, app.name, job, log)),
    ),
  );
  for (const { subject, heard } of app.listeners) bus.nc.subscribe(subject, { callback: heard });
  const perform = performer({
    service: app.name,
    pool,
    lanes,
    workers,
    inclusion,
    requester,
    signer: createSigner(config.SIGNING_SECRET),
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
    await Promise.all([pool.end(), lanes.end(), workers.end(), logPool.end()]);
    await stopTelemetry();
  };
  let stopping: Promise<void> | undefined;
  return { stop: () => (stopping ??= stop()) };
};

/** Runs `start` when the module is the program itself: signals stop it cleanly, a bad configuration says what. */
export const runAsProgram = async (moduleUrl: string, start: (env: Env) => Promise<Running>): Promise<void> => {
  const program = process.argv[1];
  if (program === undefined || moduleUrl !== pathToFileURL(program).href) return;
  try {
    const running = await start(process.env);
    const stop = (): void => {
      running.stop().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  } catch (error) {
    const message = error instanceof ConfigError ? error.message : error;
    console.error(message);
    process.exit(1);
  }
};

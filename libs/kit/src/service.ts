import { pathToFileURL } from 'node:url';
import type { EntitySchema } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { connectBus } from './bus/connect.ts';
import { createRequester } from './bus/requester.ts';
import { createInclusion } from './call/inclusion.ts';
import { IDEMPOTENCY_HOURS } from './call/idempotency.ts';
import type { Route } from './call/handler.ts';
import { performer } from './call/perform.ts';
import { serve } from './call/serve.ts';
import { ConfigError, type Env, readConfig, serviceConfig } from './config.ts';
import { asLeader, wait } from './db/leader.ts';
import { migrate } from './db/migrate.ts';
import { ReadLanes } from './db/lanes.ts';
import { createOrm } from './db/orm.ts';
import { createPool } from './db/pool.ts';
import type { MigrationEntry } from './db/schema.ts';
import { statement } from './db/statement.ts';
import { type ConsumerDef, startConsumer } from './events/consume.ts';
import { deadLetterRoutes } from './events/dead-letters.ts';
import { historyRoutes } from './events/history.ts';
import { startRelay } from './events/relay.ts';
import { STREAM_DAYS } from './events/stream.ts';
import { inWorkerTx, type WorkerTx } from './events/tx.ts';
import { createSigner } from './sign.ts';
import { createLogger, type Logger } from './telemetry/log.ts';
import { startTelemetry } from './telemetry/sdk.ts';

/** Work that repeats, in one instance at a time. */
export interface Job {
  name: string;
  every_ms: number;
  run: (tx: WorkerTx, log: Logger) => Promise<void>;
}

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
  consumer: ConsumerDef | undefined;
  jobs: readonly Job[];
  entities: readonly EntitySchema[];
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
const CLEAN_INBOX = statement(`delete from inbox where received_at < now() - interval '${STREAM_DAYS * 2} days'`);

const housekeeping: Job = {
  name: 'housekeeping',
  every_ms: 600_000,
  run: async (tx) => {
    tx.run(CLEAN_KEYS);
    tx.run(CLEAN_INBOX);
  },
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
  const jobs = [housekeeping, ...app.jobs];
  const pool = createPool(config.DATABASE_URL, config.DATABASE_POOL, app.name, log);
  const lanes = new ReadLanes(config.DATABASE_URL, config.DATABASE_LANES, `${app.name} read`, log);
  // Leaders (consumer of each source, each job) hold one connection each, and need one to work with.
  const workers = createPool(config.WORKER_DATABASE_URL, 6 + jobs.length, `${app.name} worker`, log);
  // What the relay noted as published and a crash takes is published again: no need to wait for the disk.
  const relayPool = createPool(config.WORKER_DATABASE_URL, 2, `${app.name} relay`, log, 'synchronous_commit=off');
  const orm = createOrm(app.entities);
  const bus = await connectBus(config, app.name, log);
  const requester = createRequester(bus);
  const relay = startRelay({ service: app.name, bus, pool: relayPool, log });
  const inclusion = createInclusion(workers, orm);
  const worker = { pool: workers, orm, clock, onEvents: relay.nudge };
  const consumer =
    app.consumer &&
    startConsumer({ ...worker, service: app.name, bus, log, onApplied: inclusion.applied }, app.consumer);
  const stopJobs = new AbortController();
  const running = jobs.map((job) =>
    asLeader(workers, `job ${app.name} ${job.name}`, stopJobs.signal, log, async ({ signal }) => {
      while (!signal.aborted) {
        await inWorkerTx(worker, (tx) => job.run(tx, log)).catch((error: unknown) =>
          log.error({ err: error, job: job.name }, 'job failed'),
        );
        await wait(job.every_ms, signal);
      }
    }),
  );
  for (const { subject, heard } of app.listeners) bus.nc.subscribe(subject, { callback: heard });
  const perform = performer({
    service: app.name,
    pool,
    lanes,
    workers,
    inclusion,
    orm,
    requester,
    signer: createSigner(config.SIGNING_SECRET),
    clock,
    checkReplies: config.CHECK_REPLIES,
    onEvents: relay.nudge,
  });
  const replay = { ...worker, onApplied: inclusion.applied };
  const own = [...historyRoutes(app.name), ...deadLetterRoutes(app.name, replay, app.consumer?.apply)];
  const server = serve(bus, [...own, ...app.routes], perform, {
    service: app.name,
    concurrency: config.CONCURRENCY,
    log,
  });
  await bus.nc.flush();
  log.info('serving');
  const stop = async (): Promise<void> => {
    await server.stop();
    stopJobs.abort();
    await Promise.all([relay.stop(), consumer?.stop(), ...running]);
    requester.stop();
    await bus.close();
    await Promise.all([pool.end(), lanes.end(), workers.end(), relayPool.end()]);
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

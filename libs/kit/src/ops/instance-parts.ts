import type { Logger } from 'pino';
import type { z } from 'zod';
import { derivedValue } from '../base/live-value.ts';
import { liveSigner } from '../base/signer.ts';
import { DatabaseAddress } from '../db/address.ts';
import { createPool, REQUEST_SETTINGS } from '../db/pool.ts';
import { SharedReads } from '../db/shared-reads.ts';
import { deadLetterRoutes } from '../log/dead-letters.ts';
import { runFollower } from '../log/follower.ts';
import { createReadYourWrites } from '../log/read-your-writes.ts';
import { createLogLeader } from '../log/log-leader.ts';
import { LogOutbox } from '../log/outbox.ts';
import { statusRoutes } from '../log/log-status.ts';
import type { Bus } from '../rpc/message-bus.ts';
import { createPerformer } from '../rpc/call-performer.ts';
import type { ClockSkew } from '../rpc/clock-skew.ts';
import { createTransactions } from '../rpc/transactions.ts';
import { createRequester } from '../rpc/requester.ts';
import { createCallerVerifier } from '../rpc/call-identity.ts';
import { serveCalls } from '../rpc/serve-calls.ts';
import type { App } from './app.ts';
import type { serviceConfig } from './config.ts';
import { DatabaseProbe } from './database-probe.ts';
import { commonJobs, repeatJob } from './jobs.ts';
import { type Lease, runTogether } from './lease.ts';
import { certificatesOf } from './dependency-metrics.ts';

/** Connections for calls across all orgs, followers and jobs. */
const WORKER_CONNECTIONS = 6;
/** Connections for numbering, publishing and readers of the log, so that these take none from other work. */
const LOG_CONNECTIONS = 4;
/** Connections for the lease and for one probe for each of the two roles. */
const OTHER_CONNECTIONS = 3;

export type ServiceConfig = z.output<typeof serviceConfig>;

/** The largest number of Postgres connections of one instance. */
export const connectionsOf = ({
  DATABASE_POOL,
  DATABASE_LANES,
}: Pick<ServiceConfig, 'DATABASE_POOL' | 'DATABASE_LANES'>): number =>
  DATABASE_POOL + DATABASE_LANES + WORKER_CONNECTIONS + LOG_CONNECTIONS + OTHER_CONNECTIONS;

/** The database with the role of requests and with the worker role. */
const addressesOf = (config: ServiceConfig) => ({
  app: new DatabaseAddress(config.DATABASE_URL, config.DATABASE_PASSWORD),
  worker: new DatabaseAddress(config.WORKER_DATABASE_URL, config.WORKER_DATABASE_PASSWORD),
});

/** Creates all parts of an instance. Calls are not answered and events not followed until the caller starts them. */
export const createInstanceParts = (app: App, config: ServiceConfig, bus: Bus, log: Logger, clock: () => Date) => {
  const { name, modules } = app;
  const { app: asApp, worker: asWorker } = addressesOf(config);
  const pool = createPool(asApp, config.DATABASE_POOL, name, log, REQUEST_SETTINGS);
  const reads = new SharedReads(asApp, config.DATABASE_LANES, `${name} read`, log);
  const workers = createPool(asWorker, WORKER_CONNECTIONS, `${name} worker`, log);
  const logPool = createPool(asWorker, LOG_CONNECTIONS, `${name} log`, log);
  const probes = [
    new DatabaseProbe(asApp, `${name} look`),
    // Not as in release 0.2.0, which is recognized by it (`appendOnlyLog`).
    new DatabaseProbe(asWorker, `${name} worker probe`),
  ] as const;
  const requester = createRequester(bus, [name]);
  const logs = createLogLeader({
    service: name,
    bus,
    pool: logPool,
    log,
    limits: { replicas: config.STREAM_REPLICAS, max_bytes: config.STREAM_MAX_BYTES },
  });
  const readYourWrites = createReadYourWrites({ pool: workers, requester }, app.follower, (tx_id) =>
    followed?.applied(tx_id),
  );
  const worker = { pool: workers, clock, onEvents: logs.nudge, checkEvents: config.CHECK_REPLIES };
  const followed =
    app.follower && runFollower({ ...worker, bus, requester, log, onApplied: readYourWrites.applied }, app.follower);
  const performDeps = {
    service: name,
    pool,
    reads,
    snapshots: app.snapshots ?? false,
    workers,
    readYourWrites,
    children: app.children,
    requester,
    signer: liveSigner(config.SIGNING_SECRET),
    outbox: (now: Date) => new LogOutbox(now, config.CHECK_REPLIES),
    clock,
    checkReplies: config.CHECK_REPLIES,
    onEvents: logs.nudge,
    log,
  };
  const perform = createPerformer(performDeps);
  const { inOrganization } = createTransactions(performDeps);
  const verifier = derivedValue(config.CALLER_KEYS, createCallerVerifier);
  const routes = [
    ...deadLetterRoutes(name, worker, app.follower),
    ...statusRoutes(name),
    ...modules.flatMap((it) => it.routes),
  ];
  const server = serveCalls(bus, routes, perform, {
    service: name,
    concurrency: config.CONCURRENCY,
    transactions: Math.min(config.CONCURRENCY, config.DATABASE_POOL),
    inProcess: config.IN_PROCESS_CALLS,
    verifyCaller: (sealed) => verifier()(sealed),
    log,
  });
  const jobs = [...commonJobs(name), ...modules.flatMap((it) => it.jobs ?? [])];
  const leaderWork = runTogether(
    ({ signal }) => logs.run(signal),
    async ({ signal }) => followed?.run(signal),
    ...jobs.map((job) => (lease: Lease) => repeatJob({ ...worker, log, inOrganization }, lease, job)),
  );
  return {
    pool,
    worker,
    pools: { requests: pool, workers, log: logPool },
    reads,
    following: () => followed?.state() ?? [],
    addresses: { app: asApp, worker: asWorker },
    probes,
    clockSkews: (): ClockSkew[] => {
      const { skew_ms } = probes[0];
      return [...requester.clockSkews(), ...(skew_ms === undefined ? [] : [{ part: 'postgres', skew_ms }])];
    },
    certificates: certificatesOf(config),
    metrics: modules.flatMap((it) => it.metrics ?? []),
    server,
    /** The work of the leading instance. */
    leaderWork,
    /** Closes all connections. Call when no part is used any more. */
    close: async (): Promise<void> => {
      logs.stop();
      requester.stop();
      await bus.close();
      await Promise.all([pool, reads, workers, logPool, ...probes].map((one) => one.end()));
    },
  };
};

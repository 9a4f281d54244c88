import { LOG_KINDS } from '@teaching/contracts';
import type pg from 'pg';
import { withTimeout } from '../base/timeout.ts';
import { bigint, notNull, p } from '../db/columns.ts';
import type { SharedReads } from '../db/shared-reads.ts';
import { statement } from '../db/statement.ts';
import { WaitingSince } from '../log/waiting-since.ts';
import type { FollowerState } from '../log/log-follower.ts';
import { logName } from '../log/offset.ts';
import { readStatus } from '../log/log-status.ts';
import { readAsWorker, type WorkerDeps, type WorkerTransaction } from '../log/worker-transaction.ts';
import type { ClockSkew } from '../rpc/clock-skew.ts';
import type { Bus } from '../rpc/message-bus.ts';
import type { Server } from '../rpc/serve-calls.ts';
import { initializeCounters, type SetGauge, observeGauges } from '../telemetry/metrics.ts';
import type { Lease } from './lease.ts';
import {
  type Certificate,
  observeBus,
  observeCertificates,
  observeClocks,
  observeHeldWal,
  observeStreams,
} from './dependency-metrics.ts';

/** Metrics of a service from its database. A source sends its statements at once. */
export type MetricSource = (see: SetGauge, on: Pick<WorkerTransaction, 'query'>, now: Date) => Promise<void>;

/** Timeout of a collection: the collector does not wait long. */
const TIMEOUT_MS = 2_000;

const seconds = () => p.double();

/**
 * `unpublished`: seconds since the stream accepts no events, or since the oldest missing event was numbered (parts of a
 * batch do not count). `waiting_seq`: the oldest event without a number.
 */
const AGES = statement(
  `select h.log, coalesce(extract(epoch from now() - coalesce(h.trouble_since, (
       select b.numbered_at from log_batch as b
       where b.log = h.log and b.first_no > h.published_no order by b.first_no limit 1))), 0)::float8 as unpublished,
     (select min(w.seq) from log_waiting as w where w.log = h.log) as waiting_seq
   from log_head as h`,
  { log: notNull(p.enum(LOG_KINDS)), unpublished: notNull(seconds()), waiting_seq: bigint().nullable() },
);

export interface InstanceMetricsDeps {
  service: string;
  worker: WorkerDeps;
  /** Pools by name. */
  pools: Readonly<Record<string, pg.Pool>>;
  reads: SharedReads;
  server: Server;
  clockSkews: () => ClockSkew[];
  bus: Bus;
  lease: () => Lease | undefined;
  certificates: readonly Certificate[];
  metrics: readonly MetricSource[];
  /** The logs that this instance follows. */
  following: () => readonly FollowerState[];
}

const observePool = (see: SetGauge, name: string, pool: pg.Pool): void => {
  const of = { 'db.client.connection.pool.name': name };
  const states = { idle: pool.idleCount, used: pool.totalCount - pool.idleCount };
  for (const [state, count] of Object.entries(states))
    see('db.client.connection.count', count, { ...of, 'db.client.connection.state': state });
  see('db.client.connection.max', pool.options.max, of);
  see('db.client.connection.pending_requests', pool.waitingCount, of);
};

/**
 * Metrics of logs and followers from the database. Every instance reports them, so they exist while no instance leads.
 */
const observeLogs = async (
  see: SetGauge,
  { service, worker, metrics }: InstanceMetricsDeps,
  waitingSince: WaitingSince,
): Promise<void> => {
  // One round trip with the same timeout as the readiness check, so that both find the database unreachable under the
  // same conditions.
  const [status, ages] = await readAsWorker(worker, (on) =>
    Promise.all([
      readStatus(service, on),
      on.query(AGES),
      observeHeldWal(see, on),
      ...metrics.map((look) => look(see, on, worker.clock())),
    ]),
  );
  for (const { log, no, published_no } of status.logs) {
    see('teaching.log.place', no, { log });
    if (published_no !== null) see('teaching.log.published.place', published_no, { log });
  }
  for (const { log, unpublished, waiting_seq } of ages) {
    see('teaching.log.unpublished.age', unpublished, { log: logName(service, log) });
    see('teaching.log.unnumbered.age', waitingSince.age_s(log, waiting_seq), { log: logName(service, log) });
  }
  see('teaching.log.unnumbered', status.waiting, { service });
  for (const { follower, log, no, trouble, broken, dead_letters } of status.followers) {
    see('teaching.follower.place', no, { follower, log });
    see('teaching.follower.trouble', Number(trouble !== null || broken), { follower, log });
    see('teaching.follower.dead_letters', dead_letters, { follower, log });
  }
};

/** Observes the metrics of an instance until the returned function is called. */
export const watchInstanceMetrics = (deps: InstanceMetricsDeps): (() => void) => {
  const waitingSince = new WaitingSince();
  return observeGauges(async (see) => {
    initializeCounters(deps.service, deps.following());
    const { service, pools, reads, server, bus, lease, following, certificates } = deps;
    const { running, waiting, slots } = server.load();
    see('teaching.call.running', running, { service });
    see('teaching.call.waiting', waiting, { service });
    see('teaching.call.slots', slots, { service });
    const led = lease();
    see('teaching.duty.leading', Number(led !== undefined), { service });
    if (led !== undefined) see('teaching.duty.since', (performance.now() - led.since) / 1_000, { service });
    for (const [name, pool] of Object.entries(pools)) observePool(see, `${service} ${name}`, pool);
    const lanes = { 'db.client.connection.pool.name': `${service} reads` };
    see('db.client.connection.max', reads.maxConnections, lanes);
    see('db.client.connection.count', reads.openConnections, { ...lanes, 'db.client.connection.state': 'used' });
    for (const { follower, log, lag, behind_ms } of following()) {
      see('teaching.follower.lag', lag, { follower, log });
      see('teaching.follower.lag.time', behind_ms / 1_000, { follower, log });
    }
    observeClocks(see, service, deps.clockSkews());
    observeCertificates(see, service, certificates, new Date());
    const seen = observeBus(see, service, bus);
    const streams = withTimeout(TIMEOUT_MS, 'the broker does not answer', observeStreams(see, service, bus)).catch(
      () => undefined,
    );
    const known = await withTimeout(
      TIMEOUT_MS,
      'the database does not answer',
      observeLogs(see, deps, waitingSince),
    ).then(
      () => 1,
      () => 0,
    );
    see('teaching.status.known', known, { service });
    await Promise.all([streams, seen]);
  });
};

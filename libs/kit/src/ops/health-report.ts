import type pg from 'pg';
import { withTimeout } from '../base/timeout.ts';
import { isolatesAccounts } from './broker-isolation.rules.ts';
import type { Bus } from '../rpc/message-bus.ts';
import { readStatus } from '../log/log-status.ts';
import { readAsWorker, type WorkerDeps } from '../log/worker-transaction.ts';
import { type ClockSkew, reportedSkews } from '../rpc/clock-skew.ts';
import type { Server } from '../rpc/serve-calls.ts';
import type { Health } from './health.ts';
import type { Lease } from './lease.ts';
import type { Readiness } from './readiness.ts';

/** Timeout of the database for a health check: its client does not wait long. */
const TIMEOUT_MS = 500;
/** The database is read at most once in this time, in milliseconds. */
const FRESH_MS = 1_000;

export interface HealthReportDeps {
  service: string;
  bus: Bus;
  worker: WorkerDeps;
  pool: pg.Pool;
  server: Server;
  readiness: Readiness;
  clockSkews: () => ClockSkew[];
  lease: () => Lease | undefined;
}

const usage = ({ totalCount: open, idleCount: idle, waitingCount: waiting }: pg.Pool) => ({ open, idle, waiting });

/** The version of the broker, and whether it keeps clients within their account, as production needs. */
const brokerOf = ({ nc }: Bus) => {
  const { version = '' } = nc.info ?? {};
  return { version, isolates_accounts: isolatesAccounts(version) };
};

/**
 * The health report of an instance. The version of the broker, the leader, the state of the logs and the clocks of
 * other parts that differ by more than two seconds are shown but do not affect readiness.
 */
export const createHealthReport = ({
  service,
  bus,
  worker,
  pool,
  server,
  readiness,
  clockSkews,
  lease,
}: HealthReportDeps) => {
  let read: { at: number; status: Promise<object> } | undefined;
  const status = (): Promise<object> => {
    if (read === undefined || performance.now() - read.at > FRESH_MS) {
      const reading = readAsWorker(worker, (on) => readStatus(service, on));
      const patient = withTimeout(TIMEOUT_MS, 'the database does not answer', reading);
      read = { at: performance.now(), status: patient.catch((error: unknown) => ({ log_unknown: String(error) })) };
    }
    return read.status;
  };

  return async (): Promise<Health> => {
    const needs = readiness.dependencyProblems();
    const led = lease();
    return {
      ready: readiness.isReady(),
      report: {
        service,
        instance: server.id,
        checks: Object.fromEntries(Object.entries(needs ?? {}).map(([name, reason]) => [name, reason ?? 'ok'])),
        broker: brokerOf(bus),
        clocks: reportedSkews(clockSkews()),
        duties: led === undefined ? { leads: false } : { leads: true, term: led.term },
        calls: server.load(),
        pool: usage(pool),
        ...(needs === undefined || needs['worker_database'] !== undefined ? {} : await status()),
      },
    };
  };
};

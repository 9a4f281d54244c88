import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { notNull, bigint, p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { removePublishedAuditRecords } from '../log/audit-log-retention.ts';
import { logName } from '../log/offset.ts';
import { logKindsOf } from '../log/source-term.ts';
import {
  type RunInTransaction,
  inWorkerTransaction,
  type WorkerDeps,
  type WorkerTransaction,
} from '../log/worker-transaction.ts';
import { IDEMPOTENCY_HOURS } from '../rpc/idempotency.ts';
import type { RunInOrganization } from '../rpc/transactions.ts';
import { DUTY } from './lease.table.ts';
import type { Lease } from './lease.ts';

/** Work that repeats, in one instance at a time. */
export interface Job {
  name: string;
  every_ms: number;
  run: (tx: WorkerTransaction, log: Logger) => Promise<void>;
}

/** Work in many batches, in one instance at a time, repeated until none is left, also after weeks without a run. */
export interface Sweep {
  /** Name in the log lines of the job. */
  name: string;
  /** Log message when rows were processed; by default that rows were removed. */
  done?: string;
  every_ms: number;
  /**
   * Processes batches, each in a transaction of its own, and yields the number of rows of each. A batch that changes
   * records of one organization as calls do runs in `inOrganization`.
   */
  pieces: (inTx: RunInTransaction, log: Logger, inOrganization: RunInOrganization) => AsyncGenerator<number>;
}

const SWEEP_MS = 600_000;
/** Pause between two batches, so that other work gets the database. */
const PAUSE_MS = 20;
const BATCH = 1_000;
const ABANDONED_MS = 15_000;
/**
 * Deletion marks older than this are abandoned: the deletion that set one has failed, or finds its mark gone and
 * deletes nothing. A mark from the future was set before the clock of Postgres was set back.
 */
const ABANDONED = "since not between clock_timestamp() - interval '30 seconds' and clock_timestamp()";
/** No call that read the state before such a fence is still in progress. */
const OLD_FENCE = "at < clock_timestamp() - interval '1 hour'";
const OLD_KEY = `created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'`;

/** Removes rows of a table in batches until none is left. */
const rowsOf = (table: string, which: string): Sweep['pieces'] => {
  const clean = statement(
    `with gone as (
       delete from ${table} where ctid = any (array(select ctid from ${table} where ${which} limit ${BATCH})) returning 1
     ) select count(*) as removed from gone`,
    { removed: notNull(bigint()) },
  );
  return async function* pieces(inTx) {
    let removed: number;
    do {
      const [cleaned] = await inTx((tx) => tx.query(clean));
      removed = cleaned?.removed ?? 0;
      yield removed;
    } while (removed === BATCH);
  };
};

/** A sweep that removes expired rows every ten minutes. */
export const sweepOf = (name: string, table: string, which: string): Sweep => ({
  name,
  every_ms: SWEEP_MS,
  pieces: rowsOf(table, which),
});

const KEYS = rowsOf('idempotency_key', OLD_KEY);
const MARKS = rowsOf('deletion_mark', ABANDONED);
const FENCES = rowsOf('reference_fence', OLD_FENCE);

/** Until this has happened, the worker role may remove entries of the log, as instances of release 0.2.0 do. */
const WITHDRAW_FORMER_RIGHTS = statement('select withdraw_former_rights()::text as done', { done: notNull(p.text()) });
const FORMER_RIGHTS_MS = 60_000;

/** The jobs of every service. An audit log of events is cut; the log of a domain never is. */
export const commonJobs = (service: string): (Job | Sweep)[] => [
  {
    name: 'rights of instances of 0.2.0',
    every_ms: FORMER_RIGHTS_MS,
    run: async (tx) => void (await tx.query(WITHDRAW_FORMER_RIGHTS)),
  },
  { name: 'old idempotency keys', every_ms: SWEEP_MS, pieces: KEYS },
  { name: 'abandoned deletions', every_ms: ABANDONED_MS, pieces: MARKS },
  { name: 'old fences of references', every_ms: SWEEP_MS, pieces: FENCES },
  ...(logKindsOf(service).includes('audit')
    ? [
        {
          name: 'event log entries that are in the audit log',
          every_ms: SWEEP_MS,
          pieces: (inTx: RunInTransaction) => removePublishedAuditRecords(logName(service, 'audit'), inTx),
        },
      ]
    : []),
];

const TERM = DUTY.pick('term');
const CURRENT_TERM = statement('select term from duty where name = $1 for share', TERM.shape);

/** Another instance leads, although this one still believes that it does. */
class NotLeading extends Error {}

/** Runs a sweep once. Logs the number of rows, also when it is interrupted. */
const sweep = async (job: Sweep, pieces: AsyncGenerator<number>, log: Logger, signal: AbortSignal): Promise<void> => {
  let all = 0;
  try {
    for await (const rows of pieces) {
      all += rows;
      if (signal.aborted) break;

      if (rows > 0) await wait(PAUSE_MS, signal);
    }
  } finally {
    if (all > 0) log.info({ job: job.name, rows: all }, job.done ?? 'removed expired rows');
  }
};

/**
 * Repeats a job while the lease lasts. A former leader that has not noticed the loss changes nothing: each transaction
 * of the worker role checks the term. A transaction in an organization does not, so two leaders may run it at once, as
 * two calls may.
 */
export const repeatJob = async (
  deps: WorkerDeps & { log: Logger; inOrganization: RunInOrganization },
  { duty, term, signal }: Lease,
  job: Job | Sweep,
): Promise<void> => {
  const { log, inOrganization } = deps;
  const inTx: RunInTransaction = (work) =>
    inWorkerTransaction(deps, async (tx) => {
      const [now] = await tx.query(CURRENT_TERM, duty);
      if (now?.term !== term) throw new NotLeading(`another instance leads ${duty}`);
      return work(tx);
    });
  while (!signal.aborted) {
    try {
      if ('run' in job) await inTx((tx) => job.run(tx, log));
      else await sweep(job, job.pieces(inTx, log, inOrganization), log, signal);
    } catch (error) {
      if (!(error instanceof NotLeading)) log.error({ err: error, job: job.name }, 'job failed');
    }
    await wait(job.every_ms, signal);
  }
};

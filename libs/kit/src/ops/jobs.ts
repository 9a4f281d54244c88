import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { always, bigint } from '../db/columns.ts';
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
import { DUTY } from './lease.table.ts';
import type { Lease } from './lease.ts';

/** Work that repeats, in one instance at a time. */
export interface Job {
  name: string;
  every_ms: number;
  run: (tx: WorkerTransaction, log: Logger) => Promise<void>;
}

/** Work of many pieces, in one instance at a time, until nothing is left: also after weeks without it. */
export interface Sweep {
  /** What it is about. */
  name: string;
  /** What is said when some was done; by default that something was removed. */
  done?: string;
  every_ms: number;
  /** Works piece by piece, each in a transaction of its own, and answers how many rows each had. */
  pieces: (inTx: RunInTransaction, log: Logger) => AsyncGenerator<number>;
}

const CLEANING_MS = 600_000;
/** Between two pieces, so that others have their turn. */
const PAUSE_MS = 20;
const PIECE = 1_000;
/** A deletion that nobody finished: whoever began it has given up long ago, or finds its mark gone and deletes nothing. */
const ABANDONED_MS = 15_000;
const ABANDONED = "since < clock_timestamp() - interval '30 seconds'";
/** No call that saw what was before such a fence is still under way. */
const OLD_FENCE = "at < clock_timestamp() - interval '1 hour'";
const OLD_KEY = `created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'`;

/** Removes rows of a table piece by piece, until none is left. */
const rowsOf = (table: string, which: string): Sweep['pieces'] => {
  const clean = statement(
    `with gone as (
       delete from ${table} where ctid = any (array(select ctid from ${table} where ${which} limit ${PIECE})) returning 1
     ) select count(*) as removed from gone`,
    { removed: always(bigint()) },
  );
  return async function* pieces(inTx) {
    let removed: number;
    do {
      const [cleaned] = await inTx((tx) => tx.query(clean));
      removed = cleaned?.removed ?? 0;
      yield removed;
    } while (removed === PIECE);
  };
};

/** Removes rows that are kept no longer, looking every ten minutes. */
export const sweepOf = (name: string, table: string, which: string): Sweep => ({
  name,
  every_ms: CLEANING_MS,
  pieces: rowsOf(table, which),
});

const KEYS = rowsOf('idempotency_key', OLD_KEY);
const MARKS = rowsOf('deletion_mark', ABANDONED);
const FENCES = rowsOf('reference_fence', OLD_FENCE);

/** What every service does beside its own jobs. An audit log is cut; the log of a domain never is. */
export const commonJobs = (service: string): Sweep[] => [
  { name: 'old idempotency keys', every_ms: CLEANING_MS, pieces: KEYS },
  { name: 'abandoned deletions', every_ms: ABANDONED_MS, pieces: MARKS },
  { name: 'old fences of references', every_ms: CLEANING_MS, pieces: FENCES },
  ...(logKindsOf(service).includes('audit')
    ? [
        {
          name: 'audit records of the log that stand in the trail',
          every_ms: CLEANING_MS,
          pieces: (inTx: RunInTransaction) => removePublishedAuditRecords(logName(service, 'audit'), inTx),
        },
      ]
    : []),
];

const TERM = DUTY.some('term');
const CURRENT_TERM = statement('select term from duty where name = $1 for share', TERM.shape);

/** Somebody else leads, whatever this instance believes. */
class Superseded extends Error {}

/** Does what there is to do; says how much it was, also when it was broken off. */
const sweep = async (job: Sweep, inTx: RunInTransaction, log: Logger, signal: AbortSignal): Promise<void> => {
  let all = 0;
  try {
    for await (const rows of job.pieces(inTx, log)) {
      all += rows;
      if (signal.aborted) break;

      if (rows > 0) await wait(PAUSE_MS, signal);
    }
  } finally {
    if (all > 0) log.info({ job: job.name, rows: all }, job.done ?? 'removed what is kept no longer');
  }
};

/** Runs a job again and again while the lease lasts. A former leader that does not know so yet changes nothing. */
export const repeatJob = async (
  deps: WorkerDeps & { log: Logger },
  { duty, term, signal }: Lease,
  job: Job | Sweep,
): Promise<void> => {
  const { log } = deps;
  const inTx: RunInTransaction = (work) =>
    inWorkerTransaction(deps, async (tx) => {
      const [now] = await tx.query(CURRENT_TERM, duty);
      if (now?.term !== term) throw new Superseded(`another instance has the duties of ${duty}`);
      return work(tx);
    });
  while (!signal.aborted) {
    try {
      if ('run' in job) await inTx((tx) => job.run(tx, log));
      else await sweep(job, inTx, log, signal);
    } catch (error) {
      if (!(error instanceof Superseded)) log.error({ err: error, job: job.name }, 'job failed');
    }
    await wait(job.every_ms, signal);
  }
};

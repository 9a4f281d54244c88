import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { statement } from '../db/statement.ts';
import { cutAuditLog } from '../log/cut-log.ts';
import { logName } from '../log/place.ts';
import { logsOf } from '../log/source.ts';
import { inWorkerTx, type WorkerDeps, type WorkerTx } from '../log/tx.ts';
import { IDEMPOTENCY_HOURS } from '../rpc/idempotency.ts';
import { DUTY } from './duty.table.ts';
import type { Lease } from './lease.ts';

/** Work that repeats, in one instance at a time. */
export interface Job {
  name: string;
  every_ms: number;
  run: (tx: WorkerTx, log: Logger) => Promise<void>;
}

const CLEANING_MS = 600_000;
const CLEAN_KEYS = statement(
  `delete from idempotency_key where created_at < now() - interval '${IDEMPOTENCY_HOURS} hours'`,
);

/** What every service does beside its own jobs. An audit log is cut; the log of a domain never is. */
export const commonJobs = (service: string): Job[] => [
  { name: 'housekeeping', every_ms: CLEANING_MS, run: async (tx) => tx.run(CLEAN_KEYS) },
  ...(logsOf(service).includes('audit')
    ? [
        {
          name: 'cut the audit log',
          every_ms: CLEANING_MS,
          run: (tx: WorkerTx, log: Logger) => cutAuditLog(logName(service, 'audit'), tx, log),
        },
      ]
    : []),
];

const TERM = DUTY.some('term');
const CURRENT_TERM = statement('select term from duty where name = $1 for share', TERM.shape);

/** Runs a job again and again while the lease lasts. A former leader that does not know so yet changes nothing. */
export const repeatJob = async (deps: WorkerDeps & { log: Logger }, lease: Lease, job: Job): Promise<void> => {
  const { duty, term, signal } = lease;
  const once = async (tx: WorkerTx): Promise<void> => {
    const [now] = await tx.query(CURRENT_TERM, duty);
    if (now?.term === term) await job.run(tx, deps.log);
  };
  while (!signal.aborted) {
    await inWorkerTx(deps, once).catch((error: unknown) => deps.log.error({ err: error, job: job.name }, 'job failed'));
    await wait(job.every_ms, signal);
  }
};

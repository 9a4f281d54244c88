import type { Logger } from 'pino';
import type { WorkerTx } from './log/tx.ts';

/** Work that repeats, in one instance at a time. */
export interface Job {
  name: string;
  every_ms: number;
  run: (tx: WorkerTx, log: Logger) => Promise<void>;
}

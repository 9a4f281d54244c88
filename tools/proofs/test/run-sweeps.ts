import { createLogger, type RunInTransaction, type Sweep } from '../../../libs/kit/src/index.ts';
import { createPool } from '../../../libs/kit/src/db/pool.ts';
import { inWorkerTransaction } from '../../../libs/kit/src/log/worker-transaction.ts';
import type { Fixture } from './fixture.ts';

/** Runs the sweeps of a service. */
export interface SweepRunner {
  inTx: RunInTransaction;
  /** Runs a sweep for at most `most` pieces. Returns the number of processed rows. */
  run: (sweep: Sweep, most?: number) => Promise<number>;
  end: () => Promise<void>;
}

export const createSweepRunner = (fixture: Fixture, service: 'clazz', now: () => Date): SweepRunner => {
  const log = createLogger('sweep', 'silent');
  const pool = createPool(fixture.envFor(service)['WORKER_DATABASE_URL'] ?? '', 1, 'sweep', log);
  const inTx: RunInTransaction = (work) => inWorkerTransaction({ pool, clock: now, onEvents: () => {} }, work);
  return {
    inTx,
    run: async (sweep, most = Infinity) => {
      let rows = 0;
      let pieces = 0;
      for await (const piece of sweep.pieces(inTx, log)) {
        rows += piece;
        pieces += 1;
        if (pieces === most) break;
      }
      return rows;
    },
    end: () => pool.end(),
  };
};

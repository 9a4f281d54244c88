import { createLogger, createSigner, type RunInTransaction, type Sweep } from '../../../libs/kit/src/index.ts';
import { createPool } from '../../../libs/kit/src/db/pool.ts';
import { SharedReads } from '../../../libs/kit/src/db/shared-reads.ts';
import { LogOutbox } from '../../../libs/kit/src/log/outbox.ts';
import { inWorkerTransaction } from '../../../libs/kit/src/log/worker-transaction.ts';
import { createTransactions } from '../../../libs/kit/src/rpc/transactions.ts';
import type { Fixture } from './fixture.ts';

/** Runs the sweeps of a service. */
export interface SweepRunner {
  inTx: RunInTransaction;
  /** Runs a sweep for at most `most` pieces. Returns the number of processed rows. */
  run: (sweep: Sweep, most?: number) => Promise<number>;
  end: () => Promise<void>;
}

const noPeers = (): Promise<never> => Promise.reject(new Error('a sweep calls no other service'));

export const createSweepRunner = (fixture: Fixture, service: 'clazz', now: () => Date): SweepRunner => {
  const log = createLogger('sweep', 'silent');
  const { WORKER_DATABASE_URL = '', DATABASE_URL = '' } = fixture.envFor(service);
  const workers = createPool(WORKER_DATABASE_URL, 1, 'sweep', log);
  const pool = createPool(DATABASE_URL, 2, 'sweep', log);
  const reads = new SharedReads(DATABASE_URL, 1, 'sweep', log);
  const onEvents = (): void => {};
  const inTx: RunInTransaction = (work) => inWorkerTransaction({ pool: workers, clock: now, onEvents }, work);
  const { inOrganization } = createTransactions({
    pool,
    reads,
    workers,
    snapshots: false,
    requester: { user: service, call: noPeers, request: noPeers, clockSkews: () => [], stop: () => {} },
    signer: createSigner('a secret of tests'),
    readYourWrites: { includes: async () => true },
    outbox: (at) => new LogOutbox(at, true),
    clock: now,
    onEvents,
    log,
  });
  return {
    inTx,
    run: async (sweep, most = Infinity) => {
      let rows = 0;
      let pieces = 0;
      for await (const piece of sweep.pieces(inTx, log, inOrganization)) {
        rows += piece;
        pieces += 1;
        if (pieces === most) break;
      }
      return rows;
    },
    end: async () => {
      await Promise.all([workers, pool, reads].map((one) => one.end()));
    },
  };
};

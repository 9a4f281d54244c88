import type { WorkerTx } from '@teaching/kit';

/** What the projector needs of a transaction over all orgs: the consumer's, or a rebuild step's. */
export type Tx = Pick<WorkerTx, 'query' | 'run'>;

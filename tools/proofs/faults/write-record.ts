import { randomUUID } from 'node:crypto';

/** One write as its caller knows it. A retry keeps its ids. */
export interface Write {
  kind: string;
  org: string;
  request_id: string;
  idempotency_key: string;
  sent_at: number;
  /** Time of the final answer in epoch ms; undefined while the outcome is unknown. */
  answered_at: number | undefined;
  /** Whether the answer was a success. */
  done: boolean;
  /** The refusal, if the write was refused. */
  refusal: string | undefined;
  /** Lines that its source must contain, in the form of `evidence.ts`. */
  evidence: readonly string[];
  /** Whether the audit log must contain it; `maybe` when it may have changed nothing. */
  audited: 'yes' | 'maybe' | 'no';
  /** The source was restored to a time before it. It may be lost or not, but all parts must agree. */
  mayBeLost: boolean;
}

/** The sent writes and their answers. */
export interface WriteRecord {
  orgs: readonly string[];
  writes: readonly Write[];
  begin: (kind: string, org: string, audited: Write['audited']) => Write;
  /** Notes that the source was killed at `until` and restored to its state at `since`, in epoch ms. */
  noteRestore: (since: number, until: number) => void;
  acknowledged: () => number;
}

export const createWriteRecord = (orgs: readonly string[]): WriteRecord => {
  const writes: Write[] = [];
  return {
    orgs,
    writes,
    begin: (kind, org, audited) => {
      const ids = { request_id: randomUUID(), idempotency_key: randomUUID() };
      const answer = { answered_at: undefined, done: false, refusal: undefined, evidence: [], mayBeLost: false };
      const write: Write = { kind, org, ...ids, sent_at: Date.now(), ...answer, audited };
      writes.push(write);
      return write;
    },
    noteRestore: (since, until) => {
      for (const write of writes) {
        // An unanswered write may have been stored in the lost time and be answered later.
        const { answered_at = since } = write;
        if (answered_at >= since && write.sent_at <= until) write.mayBeLost = true;
      }
    },
    acknowledged: () => writes.filter(({ done }) => done).length,
  };
};

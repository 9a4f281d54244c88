import { randomUUID } from 'node:crypto';

/** One write, as its caller knows it. Sent again, it keeps its ids. */
export interface Write {
  kind: string;
  org: string;
  request_id: string;
  idempotency_key: string;
  sent_at: number;
  /** When it was answered for good: undefined while nobody knows whether it happened. */
  answered_at: number | undefined;
  /** Answered with success. */
  done: boolean;
  /** How it was refused, if it was. */
  refusal: string | undefined;
  /** What its source must show, as `evidence.ts` names it. */
  evidence: readonly string[];
  /** Whether the audit trail must tell of it; `maybe` when it may have changed nothing. */
  audited: 'yes' | 'maybe' | 'no';
  /** The source went back to before it: it may be there or not, but everybody must agree. */
  mayBeGone: boolean;
}

/** What was sent and what came back. */
export interface Record {
  orgs: readonly string[];
  writes: readonly Write[];
  begin: (kind: string, org: string, audited: Write['audited']) => Write;
  /** The source was put back to how it was at `since`, and killed at `until`. */
  wentBack: (since: number, until: number) => void;
  acknowledged: () => number;
}

export const createRecord = (orgs: readonly string[]): Record => {
  const writes: Write[] = [];
  return {
    orgs,
    writes,
    begin: (kind, org, audited) => {
      const ids = { request_id: randomUUID(), idempotency_key: randomUUID() };
      const answer = { answered_at: undefined, done: false, refusal: undefined, evidence: [], mayBeGone: false };
      const write: Write = { kind, org, ...ids, sent_at: Date.now(), ...answer, audited };
      writes.push(write);
      return write;
    },
    wentBack: (since, until) => {
      for (const write of writes) {
        // One that nobody answered yet may have been done in the time that is gone, and be answered later.
        const { answered_at = since } = write;
        if (answered_at >= since && write.sent_at <= until) write.mayBeGone = true;
      }
    },
    acknowledged: () => writes.filter(({ done }) => done).length,
  };
};

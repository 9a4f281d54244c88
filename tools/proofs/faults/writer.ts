import { type Answer, type Api, type ApiRequest, textAt } from '../system/plain-api.ts';
import { pause } from '../system/poll.ts';
import type { WriteRecord, Write } from './write-record.ts';

/** Whether the outcome is unknown. A retry with the same key stores the write at most once. */
const isOpen = ({ status, body }: Answer): boolean =>
  status === 0 || status >= 500 || status === 429 || textAt(body, 'code') === 'idempotency_in_flight';

const RETRY_MS = 100;

export interface WriteRequest extends ApiRequest {
  kind: string;
  audited?: Write['audited'];
  /** The evidence that a success must leave in the source. */
  evidence?: (body: unknown) => readonly string[];
}

export interface Writer {
  /** Sends and retries until the outcome is known or `stopped` returns true. */
  write: (wish: WriteRequest, stopped?: () => boolean) => Promise<Answer>;
  /** Retries every write without a final answer for up to `ms`. Returns how many remain. */
  settle: (ms: number) => Promise<number>;
}

export const createWriter = (api: Api, record: WriteRecord): Writer => {
  const open = new Map<Write, WriteRequest>();

  const attempt = async (write: Write, wish: WriteRequest): Promise<Answer> => {
    const ids = { requestId: write.request_id, idempotencyKey: write.idempotency_key };
    const answer = await api({ method: 'POST', ...wish, ...ids });
    if (isOpen(answer)) return answer;
    write.answered_at = Date.now();
    write.done = answer.status < 300;
    if (write.done) write.evidence = wish.evidence?.(answer.body) ?? [];
    else write.refusal = `${answer.status} ${textAt(answer.body, 'code')} ${textAt(answer.body, 'detail')}`.trim();
    open.delete(write);
    return answer;
  };
  const untilKnown = async (write: Write, wish: WriteRequest, stopped: () => boolean): Promise<Answer> => {
    let answer = await attempt(write, wish);
    while (open.has(write) && !stopped()) {
      await pause(RETRY_MS);
      answer = await attempt(write, wish);
    }
    return answer;
  };

  return {
    write: (wish, stopped = () => false) => {
      const write = record.begin(wish.kind, wish.org, wish.audited ?? 'no');
      open.set(write, wish);
      return untilKnown(write, wish, stopped);
    },
    settle: async (ms) => {
      const end = Date.now() + ms;
      await Promise.all([...open].map(([write, wish]) => untilKnown(write, wish, () => Date.now() > end)));
      return open.size;
    },
  };
};

import { Problem } from '@teaching/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Requester } from '../rpc/requester.ts';
import { batchedQuery } from './batched-query.ts';
import { ReachRequest } from './source-messages.ts';

const PATIENCE_MS = 2_000;

/** A source that answers when the test tells it to. */
class Source implements Pick<Requester, 'request'> {
  readonly user = 'clazz';
  readonly asked: string[][] = [];
  #pending: { tx_ids: string[]; settle: (answer: Uint8Array) => void; fail: (error: Problem) => void }[] = [];
  isLed = true;

  request(_responder: string, _subject: string, frame: Uint8Array): Promise<Uint8Array> {
    const { tx_ids } = ReachRequest.parse(JSON.parse(Buffer.from(frame).toString()));
    this.asked.push(tx_ids);
    if (!this.isLed) return Promise.reject(new Problem('unavailable'));
    return new Promise((settle, fail) => this.#pending.push({ tx_ids, settle, fail }));
  }

  get inFlight(): number {
    return this.#pending.length;
  }

  /** Answers the oldest query, for the transactions that `isKnown` accepts. */
  async answer(isKnown: (tx_id: string) => boolean = () => true): Promise<void> {
    const { tx_ids = [], settle } = this.#pending.shift() ?? {};
    const reached = Object.fromEntries(tx_ids.filter(isKnown).map((tx_id) => [tx_id, { first: 1, last: 2 }]));
    settle?.(Buffer.from(JSON.stringify({ reached })));
    await vi.advanceTimersByTimeAsync(0);
  }

  async fail(): Promise<void> {
    this.#pending.shift()?.fail(new Problem('timeout'));
    await vi.advanceTimersByTimeAsync(0);
  }

  stop(): void {}
}

let source: Source;
let queryOne: (tx_id: string) => Promise<unknown>;
beforeEach(() => {
  vi.useFakeTimers();
  source = new Source();
  const query = batchedQuery(source);
  queryOne = (tx_id) => query('course', tx_id, performance.now() + PATIENCE_MS);
});
afterEach(() => {
  vi.useRealTimers();
});
const nextTurn = () => vi.advanceTimersByTimeAsync(0);

describe('Querying the last offset of transactions', () => {
  it('sends one query for all calls in one turn of the event loop', async () => {
    const answers = Promise.all(['a', 'b', 'a'].map((tx_id) => queryOne(tx_id)));
    await nextTurn();
    expect(source.asked).toEqual([['a', 'b']]);
    await source.answer((tx_id) => tx_id === 'a');
    const reach = { first: 1, last: 2 };
    expect(await answers).toEqual([reach, undefined, reach]);
  });

  it('sends one query at a time, and the next one for all calls made meanwhile', async () => {
    const first = queryOne('a');
    await nextTurn();
    const later = Array.from({ length: 50 }, (_, n) => queryOne(`b${n}`));
    await nextTurn();
    expect(source.inFlight).toBe(1);
    await source.answer();
    expect(await first).toBeDefined();
    expect(source.asked.map(({ length }) => length)).toEqual([1, 50]);
    await source.answer();
    for (const one of later) expect(await one).toBeDefined();
  });

  it('repeats the query while no instance leads, at a rate independent of the callers, until their timeout', async () => {
    source.isLed = false;
    const answers: Promise<unknown>[] = [];
    for (let ms = 0; ms < PATIENCE_MS; ms += 10) {
      answers.push(queryOne(`t${ms}`));
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(source.asked.length).toBeLessThanOrEqual(PATIENCE_MS / 100 + 1);
    source.isLed = true;
    await vi.advanceTimersByTimeAsync(100);
    await source.answer();
    const reaches = await Promise.all(answers);
    // The first query timed out; the last ones were answered.
    expect(reaches[0]).toBeUndefined();
    expect(reaches.at(-1)).toBeDefined();
    const asked = source.asked.length;
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(source.asked).toHaveLength(asked);
  });

  it('queries the next leader if the former one does not answer', async () => {
    const answer = queryOne('a');
    await nextTurn();
    await source.fail();
    await vi.advanceTimersByTimeAsync(100);
    expect(source.asked).toEqual([['a'], ['a']]);
    await source.answer();
    expect(await answer).toBeDefined();
  });
});

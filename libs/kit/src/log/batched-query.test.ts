import { Problem } from '@teaching/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Requester } from '../rpc/requester.ts';
import { batchedQuery } from './batched-query.ts';
import { ReachRequest } from './source-messages.ts';

const PATIENCE_MS = 2_000;

/** A source that answers when it is told to. */
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

  get underWay(): number {
    return this.#pending.length;
  }

  /** Answers the oldest question for those it knows. */
  async answer(known: (tx_id: string) => boolean = () => true): Promise<void> {
    const { tx_ids = [], settle } = this.#pending.shift() ?? {};
    const reached = Object.fromEntries(tx_ids.filter(known).map((tx_id) => [tx_id, { first: 1, last: 2 }]));
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
let ask: (tx_id: string) => Promise<unknown>;
beforeEach(() => {
  vi.useFakeTimers();
  source = new Source();
  const together = batchedQuery(source);
  ask = (tx_id) => together('course', tx_id, Date.now() + PATIENCE_MS);
});
afterEach(() => {
  vi.useRealTimers();
});
const turn = () => vi.advanceTimersByTimeAsync(0);

describe('how far transactions reach', () => {
  it('is one question for all that are asked in one turn', async () => {
    const answers = Promise.all(['a', 'b', 'a'].map((tx_id) => ask(tx_id)));
    await turn();
    expect(source.asked).toEqual([['a', 'b']]);
    await source.answer((tx_id) => tx_id === 'a');
    const reach = { first: 1, last: 2 };
    expect(await answers).toEqual([reach, undefined, reach]);
  });

  it('is asked one question at a time, and the next is for all who came meanwhile', async () => {
    const first = ask('a');
    await turn();
    const later = Array.from({ length: 50 }, (_, n) => ask(`b${n}`));
    await turn();
    expect(source.underWay).toBe(1);
    await source.answer();
    expect(await first).toBeDefined();
    expect(source.asked.map(({ length }) => length)).toEqual([1, 50]);
    await source.answer();
    for (const one of later) expect(await one).toBeDefined();
  });

  it('is asked again and again while nobody leads, however many wait, and given up in time', async () => {
    source.isLed = false;
    const answers: Promise<unknown>[] = [];
    for (let ms = 0; ms < PATIENCE_MS; ms += 10) {
      answers.push(ask(`t${ms}`));
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(source.asked.length).toBeLessThanOrEqual(PATIENCE_MS / 100 + 1);
    source.isLed = true;
    await vi.advanceTimersByTimeAsync(100);
    await source.answer();
    const reaches = await Promise.all(answers);
    // The first had waited long enough; the last were answered.
    expect(reaches[0]).toBeUndefined();
    expect(reaches.at(-1)).toBeDefined();
    const asked = source.asked.length;
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(source.asked).toHaveLength(asked);
  });

  it('is asked of the next who leads when the one before does not answer', async () => {
    const answer = ask('a');
    await turn();
    await source.fail();
    await vi.advanceTimersByTimeAsync(100);
    expect(source.asked).toEqual([['a'], ['a']]);
    await source.answer();
    expect(await answer).toBeDefined();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FairQueue } from './fair-queue.ts';

let log: string[] = [];
beforeEach(() => {
  log = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const queuedCall = (name: string, wait_ms = 60_000, since = performance.now()) => ({
  isLate: (now: number) => now >= since + wait_ms,
  begin: () => void log.push(name),
  refuse: () => void log.push(`${name} refused`),
});
/** The calls that began or were refused since the last call of this function. */
const takeLog = (): string[] => log.splice(0);
const enterAll = (queue: FairQueue, org: string, count: number): void => {
  for (let n = 1; n <= count; n += 1) queue.enter(org, queuedCall(`${org}${n}`));
};

describe('A fair queue', () => {
  it('gives a lone organization all but an eighth of the slots, so that a call of another one begins at once', () => {
    const queue = new FairQueue(8, 100);
    enterAll(queue, 'a', 20);
    expect(takeLog()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
    queue.enter('b', queuedCall('b1'));
    expect(takeLog()).toEqual(['b1']);
  });

  it('gives an organization at most half of the slots while other organizations have calls', () => {
    const queue = new FairQueue(8, 100);
    enterAll(queue, 'a', 20);
    enterAll(queue, 'b', 3);
    takeLog();
    for (let n = 0; n < 4; n += 1) queue.release('a');
    expect(takeLog()).toEqual(['b2', 'b3', 'a8']);
    expect(queue.running).toBe(7);
  });

  it('serves organizations in turn, whatever number of calls each has queued', () => {
    const queue = new FairQueue(2, 100);
    enterAll(queue, 'a', 6);
    enterAll(queue, 'b', 4);
    enterAll(queue, 'c', 1);
    expect(takeLog()).toEqual(['a1', 'b1']);
    for (const org of ['a', 'b', 'c', 'a']) queue.release(org);
    expect(takeLog()).toEqual(['c1', 'a2', 'b2', 'a3']);
  });

  it('refuses the last call of the longest queue when the capacity is reached', () => {
    const queue = new FairQueue(1, 3);
    enterAll(queue, 'a', 4);
    queue.enter('a', queuedCall('one too many'));
    expect(takeLog()).toEqual(['a1', 'one too many refused']);
    queue.enter('b', queuedCall('b1'));
    expect(takeLog()).toEqual(['a4 refused']);
    expect(queue.waiting).toBe(3);
    queue.release('a');
    queue.release('a');
    expect(takeLog()).toEqual(['b1', 'a2']);
  });

  it('refuses a call that has waited for too long', () => {
    const queue = new FairQueue(1, 10);
    queue.enter('a', queuedCall('a1'));
    queue.enter('a', queuedCall('soon', 100));
    queue.enter('a', queuedCall('later', 10_000));
    vi.advanceTimersByTime(200);
    expect(takeLog()).toEqual(['a1', 'soon refused']);
    queue.release('a');
    expect(takeLog()).toEqual(['later']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('serves a call that returns before the queued calls of its organization', () => {
    const queue = new FairQueue(1, 10);
    enterAll(queue, 'a', 3);
    queue.release('a');
    expect(takeLog()).toEqual(['a1', 'a2']);
    queue.reenter('a', queuedCall('a1 again'));
    queue.release('a');
    expect(takeLog()).toEqual(['a1 again']);
  });

  it('does not count organizations without calls', () => {
    const queue = new FairQueue(8, 10);
    queue.enter('b', queuedCall('b1'));
    queue.release('b');
    enterAll(queue, 'a', 20);
    expect(takeLog()).toContain('a7');
  });
});

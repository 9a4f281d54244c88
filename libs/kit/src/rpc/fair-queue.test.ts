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

const turn = (name: string, wait_ms = 60_000, since = Date.now()) => ({
  isLate: (now: number) => now >= since + wait_ms,
  begin: () => void log.push(name),
  refuse: () => void log.push(`${name} refused`),
});
/** What has begun or been refused since the last look. */
const seen = (): string[] => log.splice(0);
const enterAll = (queue: FairQueue, org: string, count: number): void => {
  for (let n = 1; n <= count; n += 1) queue.enter(org, turn(`${org}${n}`));
};

describe('a fair queue', () => {
  it('lets an organization that is alone have all slots but an eighth, and another one begin at once', () => {
    const queue = new FairQueue(8, 100);
    enterAll(queue, 'a', 20);
    expect(seen()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
    queue.enter('b', turn('b1'));
    expect(seen()).toEqual(['b1']);
  });

  it('gives an organization half of the slots at most while others are there', () => {
    const queue = new FairQueue(8, 100);
    enterAll(queue, 'a', 20);
    enterAll(queue, 'b', 3);
    seen();
    for (let n = 0; n < 4; n += 1) queue.leave('a');
    expect(seen()).toEqual(['b2', 'b3', 'a8']);
    expect(queue.running).toBe(7);
  });

  it('serves organizations in turn, however many of each wait', () => {
    const queue = new FairQueue(2, 100);
    enterAll(queue, 'a', 6);
    enterAll(queue, 'b', 4);
    enterAll(queue, 'c', 1);
    expect(seen()).toEqual(['a1', 'b1']);
    for (const org of ['a', 'b', 'c', 'a']) queue.leave(org);
    expect(seen()).toEqual(['c1', 'a2', 'b2', 'a3']);
  });

  it('refuses the last of the longest line when no more may wait', () => {
    const queue = new FairQueue(1, 3);
    enterAll(queue, 'a', 4);
    queue.enter('a', turn('one too many'));
    expect(seen()).toEqual(['a1', 'one too many refused']);
    queue.enter('b', turn('b1'));
    expect(seen()).toEqual(['a4 refused']);
    expect(queue.waiting).toBe(3);
    queue.leave('a');
    queue.leave('a');
    expect(seen()).toEqual(['b1', 'a2']);
  });

  it('refuses whoever has waited for too long', () => {
    const queue = new FairQueue(1, 10);
    queue.enter('a', turn('a1'));
    queue.enter('a', turn('soon', 100));
    queue.enter('a', turn('later', 10_000));
    vi.advanceTimersByTime(200);
    expect(seen()).toEqual(['a1', 'soon refused']);
    queue.leave('a');
    expect(seen()).toEqual(['later']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets those back first who gave their slot up for a while', () => {
    const queue = new FairQueue(1, 10);
    enterAll(queue, 'a', 3);
    queue.leave('a');
    expect(seen()).toEqual(['a1', 'a2']);
    queue.enterAgain('a', turn('a1 again'));
    queue.leave('a');
    expect(seen()).toEqual(['a1 again']);
  });

  it('forgets organizations that have nothing here', () => {
    const queue = new FairQueue(8, 10);
    queue.enter('b', turn('b1'));
    queue.leave('b');
    enterAll(queue, 'a', 20);
    expect(seen()).toContain('a7');
  });
});

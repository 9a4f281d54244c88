import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Slot, AdmissionQueue } from './admission-queue.ts';

let log: string[] = [];
/** End the running calls, in the order in which they began. */
let ends: (() => void)[] = [];
beforeEach(() => {
  log = [];
  ends = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const enter = (queue: AdmissionQueue, name: string, patience_ms: number, pause?: Promise<void>): void => {
  const work = async (slot: Slot): Promise<void> => {
    log.push(name);
    if (pause !== undefined) {
      await slot.releaseDuring(() => pause);
      log.push(`${name} again`);
    }
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  queue.enter(
    'a',
    name === 'patient' ? 'short' : 'long',
    performance.now() + patience_ms,
    work,
    () => void log.push(`${name} refused`),
  );
};
const endAfter = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
  ends.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
};

describe('Slots of the admission queue', () => {
  it('are waited for during 30 % of the caller’s remaining time at most', async () => {
    const queue = new AdmissionQueue(1, 10);
    enter(queue, 'first', 60_000);
    enter(queue, 'second', 10_000);
    await vi.advanceTimersByTimeAsync(2_900);
    expect(log).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(200);
    expect(log).toEqual(['first', 'second refused']);
  });

  it('are refused to a call that has less time left than recent calls of its kind took', async () => {
    const queue = new AdmissionQueue(1, 10);
    for (let n = 0; n < 100; n += 1) {
      enter(queue, 'long', 60_000);
      await endAfter(900);
    }
    log = [];
    enter(queue, 'first', 60_000);
    enter(queue, 'hurried', 1_000);
    enter(queue, 'patient', 20_000);
    await endAfter(200);
    expect(log).toEqual(['first', 'hurried refused', 'patient']);
  });

  it('are free for other calls while a call only waits, and its waiting time is not counted', async () => {
    const queue = new AdmissionQueue(1, 10);
    let resume: () => void = () => {};
    enter(queue, 'waits', 60_000, new Promise((resolve) => (resume = resolve)));
    enter(queue, 'other', 60_000);
    expect(log).toEqual(['waits', 'other']);
    await vi.advanceTimersByTimeAsync(5_000);
    resume();
    await vi.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['waits', 'other']);
    await endAfter(1);
    expect(log).toEqual(['waits', 'other', 'waits again']);
    expect(queue.running).toBe(1);
    await endAfter(1);
    expect(queue.running + queue.waiting).toBe(0);
  });

  it('of heavy requests are held one at a time, by organizations in turn, half of the time, and do not take slots of other calls', async () => {
    const queue = new AdmissionQueue(1, 10);
    const parts = (org: string, count: number, patience_ms = 60_000): void => {
      const work = async (slot: Slot): Promise<void> => {
        for (let part = 1; part <= count; part += 1) {
          await slot.takeHeavySlot();
          log.push(`${org}${part}`);
          await new Promise<void>((resolve) => ends.push(resolve));
        }
      };
      queue.enter(
        org,
        'heavy',
        performance.now() + patience_ms,
        (slot) => work(slot).catch(() => void log.push('503')),
        vi.fn(),
      );
    };
    parts('a', 2);
    parts('a', 2);
    parts('b', 1);
    parts('c', 1, 1_000);
    await vi.advanceTimersByTimeAsync(0);
    enter(queue, 'light', 60_000);
    expect(log).toEqual(['a1', 'light']);
    await vi.advanceTimersByTimeAsync(400);
    expect(log).toEqual(['a1', 'light', '503']);
    await endAfter(100);
    expect(log).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(500);
    expect(log).toEqual(['a1', 'light', '503', 'b1']);
    while (queue.running + queue.waiting > 0) await endAfter(10);
    expect(log).toEqual(['a1', 'light', '503', 'b1', 'a1', 'a2', 'a2']);
  });
});

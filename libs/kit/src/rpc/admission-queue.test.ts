import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Slot, AdmissionQueue } from './admission-queue.ts';

let log: string[] = [];
/** Ends what is under way, the first first. */
let ends: (() => void)[] = [];
beforeEach(() => {
  log = [];
  ends = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const enter = (queue: AdmissionQueue, name: string, patience_ms: number, aside?: Promise<void>): void => {
  const work = async (slot: Slot): Promise<void> => {
    log.push(name);
    if (aside !== undefined) {
      await slot.aside(() => aside);
      log.push(`${name} again`);
    }
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  queue.enter(
    'a',
    name === 'patient' ? 'short' : 'long',
    Date.now() + patience_ms,
    work,
    () => void log.push(`${name} refused`),
  );
};
const endAfter = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
  ends.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
};

describe('queue', () => {
  it('are waited for during a third of the time a caller has, at most', async () => {
    const queue = new AdmissionQueue(1, 10);
    enter(queue, 'first', 60_000);
    enter(queue, 'second', 10_000);
    await vi.advanceTimersByTimeAsync(2_900);
    expect(log).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(200);
    expect(log).toEqual(['first', 'second refused']);
  });

  it('are not given to a call that has less time left than calls take of late', async () => {
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

  it('are given up while a call only waits, and the time it waits is not the time it takes', async () => {
    const queue = new AdmissionQueue(1, 10);
    let goOn: () => void = () => {};
    enter(queue, 'waits', 60_000, new Promise((resolve) => (goOn = resolve)));
    enter(queue, 'other', 60_000);
    expect(log).toEqual(['waits', 'other']);
    await vi.advanceTimersByTimeAsync(5_000);
    goOn();
    await vi.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['waits', 'other']);
    await endAfter(1);
    expect(log).toEqual(['waits', 'other', 'waits again']);
    expect(queue.running).toBe(1);
    await endAfter(1);
    expect(queue.running + queue.waiting).toBe(0);
  });

  it('of calls that touch much are taken one at a time, by organizations in turn, half of the time, and leave the others their places', async () => {
    const queue = new AdmissionQueue(1, 10);
    const parts = (org: string, count: number, patience_ms = 60_000): void => {
      const work = async (slot: Slot): Promise<void> => {
        for (let part = 1; part <= count; part += 1) {
          await slot.takeWideTurn();
          log.push(`${org}${part}`);
          await new Promise<void>((resolve) => ends.push(resolve));
        }
      };
      queue.enter(
        org,
        'wide',
        Date.now() + patience_ms,
        (slot) => work(slot).catch(() => void log.push('503')),
        vi.fn(),
      );
    };
    parts('a', 2);
    parts('a', 2);
    parts('b', 1);
    parts('c', 1, 1_000);
    await vi.advanceTimersByTimeAsync(0);
    enter(queue, 'not wide', 60_000);
    expect(log).toEqual(['a1', 'not wide']);
    await vi.advanceTimersByTimeAsync(400);
    expect(log).toEqual(['a1', 'not wide', '503']);
    await endAfter(100);
    expect(log).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(500);
    expect(log).toEqual(['a1', 'not wide', '503', 'b1']);
    while (queue.running + queue.waiting > 0) await endAfter(10);
    expect(log).toEqual(['a1', 'not wide', '503', 'b1', 'a1', 'a2', 'a2']);
  });
});

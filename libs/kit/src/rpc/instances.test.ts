import { describe, expect, it } from 'vitest';
import { Instances } from './instances.ts';

const heartbeat = (id: string) => ({ id, leaving: false });

describe('Instances of a service', () => {
  it('are known from their first heartbeat until they leave', () => {
    const all = new Instances();
    expect(all.pick('clazz')).toBeUndefined();
    all.recordHeartbeat('clazz', heartbeat('a'), 0);
    expect(all.pick('clazz')?.id).toBe('a');
    expect(all.pick('course')).toBeUndefined();
    all.recordHeartbeat('clazz', { id: 'a', leaving: true }, 1);
    expect(all.pick('clazz')).toBeUndefined();
  });

  it('are picked by the fewest pending calls, and in turn if these are equal', () => {
    const all = new Instances();
    for (const id of ['a', 'b', 'c']) all.recordHeartbeat('clazz', heartbeat(id), 0);
    const picked = Array.from({ length: 6 }, () => {
      const one = all.pick('clazz');
      if (one !== undefined) one.pending += 1;
      return one?.id;
    });
    expect(picked.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    const [first, second] = [all.pick('clazz'), all.pick('clazz')];
    if (first !== undefined) first.pending += 5;
    if (second !== undefined && second !== first) second.pending += 5;
    expect(all.pick('clazz')?.pending).toBe(2);
  });

  it('are silent 1.5 seconds after their last heartbeat, if other heartbeats arrived meanwhile', () => {
    const all = new Instances();
    for (const id of ['a', 'b']) all.recordHeartbeat('clazz', heartbeat(id), 0);
    for (const now of [500, 1_000, 1_500]) all.recordHeartbeat('clazz', heartbeat('b'), now);
    expect(all.removeSilent()).toEqual([]);
    all.recordHeartbeat('course', heartbeat('c'), 1_501);
    expect(all.removeSilent().map(({ id }) => id)).toEqual(['a']);
    expect(all.removeSilent()).toEqual([]);
    expect(all.pick('clazz')?.id).toBe('b');
    for (const now of [2_000, 2_500, 3_001]) all.recordDelivery(now);
    expect(all.removeSilent().map(({ id }) => id)).toEqual(['b']);
    all.recordHeartbeat('clazz', heartbeat('b'), 3_100);
    expect(all.pick('clazz')?.id).toBe('b');
  });

  it('are not silent after a time in which this process received no heartbeat at all', () => {
    const all = new Instances();
    for (const id of ['a', 'b']) all.recordHeartbeat('clazz', heartbeat(id), 0);
    all.recordHeartbeat('clazz', heartbeat('a'), 9_000);
    expect(all.removeSilent()).toEqual([]);
    all.recordHeartbeat('clazz', heartbeat('a'), 9_500);
    expect(all.removeSilent()).toEqual([]);
    all.recordHeartbeat('clazz', heartbeat('a'), 10_000);
    expect(all.removeSilent().map(({ id }) => id)).toEqual(['b']);
  });
});

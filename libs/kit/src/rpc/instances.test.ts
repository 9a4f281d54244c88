import { describe, expect, it } from 'vitest';
import { Instances } from './instances.ts';

const beat = (id: string) => ({ id, leaving: false });

describe('instances of a service', () => {
  it('are unknown until they say that they serve, and again once they leave', () => {
    const all = new Instances();
    expect(all.pick('clazz')).toBeUndefined();
    all.heard('clazz', beat('a'), 0);
    expect(all.pick('clazz')?.id).toBe('a');
    expect(all.pick('course')).toBeUndefined();
    all.heard('clazz', { id: 'a', leaving: true }, 1);
    expect(all.pick('clazz')).toBeUndefined();
  });

  it('are asked in turn, and those first that have less to do', () => {
    const all = new Instances();
    for (const id of ['a', 'b', 'c']) all.heard('clazz', beat(id), 0);
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

  it('are silent after a second and a half, unless it was the asker who stood still', () => {
    const all = new Instances();
    all.heard('clazz', beat('a'), 0);
    all.heard('clazz', beat('b'), 1_000);
    expect(all.takeStale(1_500)).toEqual([]);
    expect(all.takeStale(1_501).map(({ id }) => id)).toEqual(['a']);
    expect(all.pick('clazz')?.id).toBe('b');
    all.excuse(3_000);
    expect(all.takeStale(5_000)).toEqual([]);
    expect(all.takeStale(6_000).map(({ id }) => id)).toEqual(['b']);
    all.heard('clazz', beat('b'), 6_100);
    expect(all.pick('clazz')?.id).toBe('b');
  });
});

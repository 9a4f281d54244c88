import { describe, expect, it } from 'vitest';
import { Slots } from './slots.ts';

describe('slots', () => {
  it('finds a thing by its key until it is removed', () => {
    const slots = new Slots<string>();
    const [a, b] = [slots.put('a'), slots.put('b')];
    expect([slots.get(a), slots.get(b)]).toEqual(['a', 'b']);
    slots.remove(a);
    slots.remove(a);
    expect([slots.get(a), slots.get(b)]).toEqual([undefined, 'b']);
    expect(slots.entries()).toEqual([[b, 'b']]);
  });

  it('gives no key twice, so that a late answer finds nobody else', () => {
    const slots = new Slots<number>();
    const keys = new Set<string>();
    for (let n = 0; n < 1_000; n++) {
      const key = slots.put(n);
      keys.add(key);
      if (n % 3 !== 0) slots.remove(key);
    }
    expect(keys.size).toBe(1_000);
    const waiting = slots.entries();
    expect(waiting.map(([, n]) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 334 }, (_, n) => n * 3));
    expect(waiting.every(([key, n]) => slots.get(key) === n)).toBe(true);
    const gone = [...keys].filter((key) => slots.get(key) === undefined);
    expect(gone).toHaveLength(666);
    for (const key of gone) slots.remove(key);
    expect(slots.entries()).toHaveLength(334);
  });

  it('gives the key of what is over again, and of nothing else', () => {
    const slots = new Slots<string>();
    const [a, b] = [slots.put('a'), slots.put('b')];
    slots.end(a);
    slots.end(a);
    expect(slots.get(a)).toBeUndefined();
    expect(slots.put('c')).toBe(a);
    slots.remove(a);
    expect([slots.put('d'), slots.put('e')]).not.toContain(a);
    expect(slots.get(b)).toBe('b');
  });

  it('goes on when a place has had all its turns', () => {
    const slots = new Slots<number>(3);
    const keys = Array.from({ length: 7 }, (_, n) => {
      const key = slots.put(n);
      expect(slots.get(key)).toBe(n);
      slots.remove(key);
      return key;
    });
    expect(new Set(keys.slice(-3)).size).toBe(3);
    expect(keys.slice(3, 6)).toEqual(keys.slice(0, 3));
  });

  it('knows no key that is none', () => {
    const slots = new Slots<string>();
    slots.put('a');
    for (const key of ['', '0', 'zz', '-', '..', '*']) expect(slots.get(key)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { PendingReplies } from './pending-replies.ts';

describe('pending replies', () => {
  it('finds a request by its key until it is removed', () => {
    const pending = new PendingReplies<string>();
    const [a, b] = [pending.add('a'), pending.add('b')];
    expect([pending.get(a), pending.get(b)]).toEqual(['a', 'b']);
    pending.remove(a);
    pending.remove(a);
    expect([pending.get(a), pending.get(b)]).toEqual([undefined, 'b']);
    expect(pending.entries()).toEqual([[b, 'b']]);
  });

  it('gives keys of 128 random bits that are one token of a subject', () => {
    const keys = [new PendingReplies<number>(), new PendingReplies<number>()].flatMap((pending) =>
      Array.from({ length: 600 }, (_, n) => pending.add(n)),
    );
    for (const key of keys) expect(key).toMatch(/^[\w-]{22}[0-9a-z]+$/);
    expect(new Set(keys.map((key) => key.slice(0, 22))).size).toBe(keys.length);
  });

  it('gives a removed key to no other request, so that a late reply finds none', () => {
    const pending = new PendingReplies<number>();
    const keys = Array.from({ length: 1_000 }, (_, n) => {
      const key = pending.add(n);
      if (n % 3 !== 0) pending.remove(key);
      return key;
    });
    expect(new Set(keys).size).toBe(1_000);
    const waiting = pending.entries();
    expect(waiting.map(([, n]) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 334 }, (_, n) => n * 3));
    expect(waiting.every(([key, n]) => pending.get(key) === n)).toBe(true);
    const gone = keys.filter((key) => pending.get(key) === undefined);
    expect(gone).toHaveLength(666);
    for (const key of gone) pending.remove(key);
    expect(pending.entries()).toHaveLength(334);
  });

  it('gives the key of a settled request again, and no other', () => {
    const pending = new PendingReplies<string>();
    const [a, b] = [pending.add('a'), pending.add('b')];
    pending.settle(a);
    pending.settle(a);
    expect(pending.get(a)).toBeUndefined();
    expect(pending.add('c')).toBe(a);
    pending.remove(a);
    expect([pending.add('d'), pending.add('e')]).not.toContain(a);
    expect(pending.get(b)).toBe('b');
  });

  it('refuses a text that is no key, and a right place with another secret', () => {
    const pending = new PendingReplies<string>();
    const key = pending.add('a');
    const place = key.slice(22);
    for (const text of ['', '0', '-', '..', '*', place, `${'A'.repeat(22)}${place}`, `${key.slice(0, 22)}1`])
      expect(pending.get(text)).toBeUndefined();
  });
});

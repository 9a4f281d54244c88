import { expect, it } from 'vitest';
import { queueOf } from './statements.ts';

const request = (org: string, path: string) => ({ token: '', org, path, statements: [] });
const requests = [request('a', '1'), request('b', '2'), request('a', '3')];
const taken = (isOnce: boolean, homes: readonly number[]): string => {
  const { next } = queueOf({ requests, isOnce });
  return homes.map((home) => next(home).path).join('');
};

it('leaves each connection with its org, round and round', () => {
  expect(taken(false, [0, 0, 0, 1, 1, 2])).toBe('131223');
});

it('sends once what may be sent once, and begins with the own org', () => {
  expect(taken(true, [1, 1, 1])).toBe('213');
  expect(() => taken(true, [0, 0, 0, 0])).toThrow('left');
});

it('knows how many are left', () => {
  const { next, left } = queueOf({ requests, isOnce: true });
  next(0);
  expect(left()).toBe(2);
});

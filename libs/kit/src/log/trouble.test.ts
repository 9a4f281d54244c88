import { describe, expect, it } from 'vitest';
import { troubleOf } from './trouble.ts';

const fault = (code: string): Error => Object.assign(new Error('the database refused'), { code });

describe('what fails while events are applied', () => {
  it.each([
    ['a lost connection', fault('08006'), 'environment'],
    ['a lost race', fault('40001'), 'environment'],
    ['no room', fault('53100'), 'environment'],
    ['a database that shuts down', fault('57P01'), 'environment'],
    ['missing rights', fault('42501'), 'environment'],
    ['a missing table', fault('42P01'), 'environment'],
    ['a lock that somebody holds', fault('55P03'), 'environment'],
    ['an address nobody listens at', new Error('connect ECONNREFUSED 127.0.0.1:5432'), 'environment'],
    ['a transaction that was rolled back', new Error('the transaction was rolled back by the database'), 'environment'],
    ['a statement over its limit', fault('57014'), 'slow'],
    ['a constraint', fault('23505'), 'event'],
    ['a value that does not fit', fault('22003'), 'event'],
    ['a bug', new TypeError('x is undefined'), 'event'],
    ['something that is no error', 'thrown text', 'event'],
  ])('%s is sorted', (_what, error, kind) => {
    expect(troubleOf(error)).toBe(kind);
  });
});

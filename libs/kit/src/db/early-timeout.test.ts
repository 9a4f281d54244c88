import { describe, expect, it } from 'vitest';
import { ConnectionLost, OutcomeUnknown } from './database-fault.ts';
import { isEarlyTimeout } from './early-timeout.ts';

const fault = (code: string): Error => Object.assign(new Error('timeout'), { code });
const lost = (code: string): Error => new ConnectionLost('the session ended', { cause: fault(code) });

describe('A time limit of Postgres', () => {
  it.each([
    ['a lock after 50 ms', fault('55P03'), 50, true],
    ['a lock after 3 s', fault('55P03'), 3_000, false],
    ['an idle transaction after 9 s, by the loss of its connection', lost('25P03'), 9_000, true],
    ['an idle transaction after 10 s', lost('25P03'), 10_001, false],
    ['a statement after 2 ms', fault('57014'), 2, true],
  ])('for %s is early or not: %o', (_case, error, took_ms, isEarly) => {
    expect(isEarlyTimeout(error, took_ms)).toBe(isEarly);
  });

  it('is no reason to repeat a transaction that may have been stored, or that failed for another reason', () => {
    expect(isEarlyTimeout(new OutcomeUnknown(fault('25P03')), 1)).toBe(false);
    expect(isEarlyTimeout(fault('23505'), 1)).toBe(false);
    expect(isEarlyTimeout(new ConnectionLost('reset'), 1)).toBe(false);
  });
});

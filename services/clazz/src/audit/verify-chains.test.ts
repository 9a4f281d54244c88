import { createLogger, type RunInTransaction } from '@teaching/kit';
import { expect, it } from 'vitest';
import { verifyChains } from './verify-chains.ts';

const unused = (): Promise<never> => Promise.reject(new Error('a transaction in an organization'));

const WALKED = { state: { is_done: true, broken_seq: null }, rows: 1 };

it.each([
  [
    'that cannot be read does not stop the verification of the others',
    [false, true, false, false, true],
    5,
    '3 chains',
  ],
  ['that is the third in a row to fail stops the verification', [true, false, false, false, true], 4, '3 chains'],
])('a chain %s', async (_what, isReadable, attempts, message) => {
  let calls = -1;
  const inTx: RunInTransaction = async <T>() => {
    calls += 1;
    if (calls === 0) return isReadable.map((_work, n) => ({ org_id: String(n) })) as T;
    if (isReadable[calls - 1] === true) return WALKED as T;
    throw new Error('no answer');
  };
  const all = async (): Promise<void> => {
    for await (const _rows of verifyChains.pieces(inTx, createLogger('sweep', 'silent'), unused)) continue;
  };
  await expect(all()).rejects.toThrow(message);
  expect(calls).toBe(attempts);
});

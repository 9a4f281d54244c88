import { createLogger, type RunInTransaction } from '@teaching/kit';
import { expect, it } from 'vitest';
import { verifyTrails } from './verify-trails.ts';

const WALKED = { state: { is_done: true, broken_seq: null }, rows: 1 };

it.each([
  ['keeps no other waiting when it cannot be looked at', [false, true, false, false, true], 5, '3 trails'],
  ['is the last of three that cannot: something else is wrong', [true, false, false, false, true], 4, '3 trails'],
])('a trail %s', async (_what, works, looked, said) => {
  let asked = -1;
  const inTx: RunInTransaction = async <T>() => {
    asked += 1;
    if (asked === 0) return works.map((_work, n) => ({ org_id: String(n) })) as T;
    if (works[asked - 1] === true) return WALKED as T;
    throw new Error('no answer');
  };
  const all = async (): Promise<void> => {
    for await (const _rows of verifyTrails.pieces(inTx, createLogger('sweep', 'silent'))) continue;
  };
  await expect(all()).rejects.toThrow(said);
  expect(asked).toBe(looked);
});

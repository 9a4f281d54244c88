import { createLogger, type RunInTransaction } from '@teaching/kit';
import { expect, it } from 'vitest';
import { expireHours } from './expire-hours.ts';

const unused = (): Promise<never> => Promise.reject(new Error('a transaction in an organization'));

it('expires hours in batches of students, and continues with other organizations after a failure', async () => {
  const outcomes: unknown[] = [
    [{ org_id: 'large' }, { org_id: 'broken' }, { org_id: 'small' }],
    100,
    100,
    30,
    new Error('broken'),
    5,
  ];
  const inTx: RunInTransaction = async <T>() => {
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome as T;
  };
  const committed: number[] = [];
  const all = async (): Promise<void> => {
    for await (const rows of expireHours.pieces(inTx, createLogger('sweep', 'silent'), unused)) committed.push(rows);
  };
  await expect(all()).rejects.toThrow('the hours of 1 organization(s) could not be expired');
  expect(committed).toEqual([100, 100, 30, 5]);
  expect(outcomes).toEqual([]);
});

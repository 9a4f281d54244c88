import { createLogger, type RunInOrganization, type RunInTransaction } from '@teaching/kit';
import { expect, it } from 'vitest';
import { promoteOverTime } from './promote-over-time.ts';

it('serves each waiting list in a transaction of its organization, and continues with others after a failure', async () => {
  const lists = ['first', 'broken', 'last'].map((org_id) => ({ org_id, id: 'a class' }));
  const inTx: RunInTransaction = async <T>() => lists as T;
  const served: string[] = [];
  const inOrganization: RunInOrganization = async <T>(org_id: string) => {
    served.push(org_id);
    if (org_id === 'broken') throw new Error('no answer');
    return 1 as T;
  };
  const promoted: number[] = [];
  const all = async (): Promise<void> => {
    const pieces = promoteOverTime.pieces(inTx, createLogger('sweep', 'silent'), inOrganization);
    for await (const rows of pieces) promoted.push(rows);
  };
  await expect(all()).rejects.toThrow('1 waiting list(s) could not be served');
  expect([served, promoted]).toEqual([
    ['first', 'broken', 'last'],
    [1, 0, 1],
  ]);
});

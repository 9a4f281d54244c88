import { expect, it } from 'vitest';
import { RESTORE_CASES, runRestoreTest } from './restore-cases.ts';

it('a system that lost its disks is restored, whatever the broker still knows, and everybody agrees', async () => {
  const wrong: string[] = [];
  const played: string[] = [];
  await runRestoreTest({
    seed: 20_261_123,
    writes: 40,
    onPlayed: ({ name }, one) => {
      played.push(name);
      wrong.push(...one.wrong.map((line) => `${name}: ${line}`));
    },
  });
  expect(wrong).toEqual([]);
  expect(played).toEqual(RESTORE_CASES.map(({ name }) => name));
}, 420_000);

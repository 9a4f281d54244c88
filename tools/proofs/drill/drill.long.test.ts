import { expect, it } from 'vitest';
import { RESTORE_CASES, runRestoreTest } from './restore-cases.ts';

it('restores a system that lost its disks in each restore case, and all parts agree afterwards', async () => {
  const faults: string[] = [];
  const restored: string[] = [];
  await runRestoreTest({
    seed: 20_261_123,
    writes: 40,
    onResult: ({ name }, result) => {
      restored.push(name);
      faults.push(...result.faults.map((line) => `${name}: ${line}`));
    },
  });
  expect(faults).toEqual([]);
  expect(restored).toEqual(RESTORE_CASES.map(({ name }) => name));
}, 420_000);

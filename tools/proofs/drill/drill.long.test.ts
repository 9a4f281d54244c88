import { expect, it } from 'vitest';
import { ACTS, drill } from './acts.ts';

it('a system that lost its disks is restored, whatever the broker still knows, and everybody agrees', async () => {
  const wrong: string[] = [];
  const played: string[] = [];
  await drill({
    seed: 20_261_123,
    writes: 40,
    onPlayed: ({ name }, one) => {
      played.push(name);
      wrong.push(...one.wrong.map((line) => `${name}: ${line}`));
    },
  });
  expect(wrong).toEqual([]);
  expect(played).toEqual(ACTS.map(({ name }) => name));
}, 420_000);

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPacer } from './pacer.ts';

it('a long job lets other jobs and requests run in between, and handles each item once', async () => {
  let now = 0;
  const pacer = createPacer(() => now);
  const handled: string[] = [];
  const work = (item: string): void => {
    now += 0.01;
    handled.push(item);
  };
  const numbers = Array.from({ length: 1_000 }, (_, n) => String(n));
  const long = pacer.forEach(numbers, work);
  const short = pacer.forEach(['short'], work);
  await nextTurn();
  expect(handled.length).toBeLessThan(200);
  await short;
  expect(handled.length).toBeLessThan(numbers.length);
  await long;
  expect(handled.filter((item) => item !== 'short')).toEqual(numbers);
});

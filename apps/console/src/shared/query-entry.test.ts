import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QueryEntry } from './query-entry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each answer says the how manieth question it is to, and takes half a second. */
const watched = () => {
  let asked = 0;
  const entry = new QueryEntry(
    async () => {
      asked += 1;
      const no = asked;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return no;
    },
    { kinds: ['lesson'] },
  );
  entry.watchers = 1;
  entry.look();
  return { entry, asked: () => asked };
};

it('answers are shown though changes come faster than they do, and the last one knows of the last change', async () => {
  const { entry, asked } = watched();
  for (let n = 0; n < 30; n += 1) {
    entry.outdated();
    await vi.advanceTimersByTimeAsync(100);
  }
  // Three seconds: one after the other, with a moment in between.
  expect(entry.data.value).toBe(5);
  expect(asked()).toBe(6);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([entry.data.value, asked(), entry.isBusy.value]).toEqual([7, 7, false]);
});

it('what a write answered is not written over by an answer that was on its way', async () => {
  const { entry } = watched();
  await vi.advanceTimersByTimeAsync(400);
  entry.put(100);
  await vi.advanceTimersByTimeAsync(200);
  expect(entry.data.value).toBe(100);
  await vi.advanceTimersByTimeAsync(400);
  expect(entry.data.value).toBe(2);
});

it('where nobody looks nothing is asked', async () => {
  const { entry, asked } = watched();
  await vi.advanceTimersByTimeAsync(600);
  entry.watchers = 0;
  entry.outdated();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked()).toBe(1);
});

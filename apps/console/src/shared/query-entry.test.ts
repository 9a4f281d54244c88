import { NoAnswerError } from '@teaching/client/browser';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QueryEntry } from './query-entry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An entry that is watched. Each answer takes 500 ms and is the number of its request: 1, 2, …. */
const watchedEntry = () => {
  let requests = 0;
  const entry = new QueryEntry(
    async () => {
      requests += 1;
      const requestNumber = requests;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return requestNumber;
    },
    { kinds: ['lesson'] },
  );
  entry.watchers = 1;
  entry.refetchIfStale();
  return { entry, requestCount: () => requests };
};

it('shows answers while changes arrive faster than answers, and ends with the newest data', async () => {
  const { entry, requestCount } = watchedEntry();
  for (let n = 0; n < 30; n += 1) {
    entry.invalidate();
    await vi.advanceTimersByTimeAsync(100);
  }
  // Three seconds: the requests run one after another, 60 ms apart.
  expect(entry.data.value).toBe(5);
  expect(requestCount()).toBe(6);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([entry.data.value, requestCount(), entry.isBusy.value]).toEqual([7, 7, false]);
});

it('keeps the value of a write when an older answer arrives after it', async () => {
  const { entry } = watchedEntry();
  await vi.advanceTimersByTimeAsync(400);
  entry.put(100);
  await vi.advanceTimersByTimeAsync(200);
  expect(entry.data.value).toBe(100);
  await vi.advanceTimersByTimeAsync(400);
  expect(entry.data.value).toBe(2);
});

it('requests nothing after a change while no component watches', async () => {
  const { entry, requestCount } = watchedEntry();
  await vi.advanceTimersByTimeAsync(600);
  entry.watchers = 0;
  entry.invalidate();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requestCount()).toBe(1);
});

it('repeats a request after a temporary failure while a component watches', async () => {
  let requests = 0;
  const entry = new QueryEntry(
    () => {
      requests += 1;
      return requests < 3 ? Promise.reject(new NoAnswerError(undefined)) : Promise.resolve(requests);
    },
    { kinds: ['lesson'] },
  );
  entry.watchers = 1;
  entry.refetchIfStale();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([entry.data.value, entry.error.value]).toEqual([undefined, expect.any(NoAnswerError)]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([entry.data.value, entry.error.value]).toEqual([3, undefined]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requests).toBe(3);
});

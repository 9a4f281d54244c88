import { setTimeout as sleep } from 'node:timers/promises';

export const pause = (ms: number): Promise<void> => sleep(ms);

/** Repeats `ask` until it returns a value; `undefined` after `ms`. An `ask` that throws is repeated. */
export const poll = async <T>(ask: () => Promise<T | undefined> | T | undefined, ms: number, step = 50) => {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch(() => undefined);
    if (answer !== undefined || Date.now() > end) return answer;
    await pause(step);
  }
};

/** Whether `ask` returned true within `ms`. An `ask` that throws is repeated. */
export const holdsWithin = async (ask: () => Promise<boolean> | boolean, ms: number, step = 50): Promise<boolean> =>
  (await poll(async () => (await ask()) || undefined, ms, step)) === true;

/** Like `holdsWithin`, but throws an error that contains `what` when the time is over. */
export const waitFor = async (what: string, ask: () => Promise<boolean> | boolean, ms: number): Promise<void> => {
  if (!(await holdsWithin(ask, ms))) throw new Error(`${what}: not within ${ms / 1_000} s`);
};

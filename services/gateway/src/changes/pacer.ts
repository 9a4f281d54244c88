/** Milliseconds of work, and of the pause after it. */
const SLICE_MS = 1;
const PAUSE_MS = 2;
/** Items between two looks at the clock. */
const ITEMS = 8;

interface Job {
  /** Handles the next item; returns false at the end. */
  step(): boolean;
  done(): void;
}

export interface Pacer {
  /** Calls `work` for each item, also for those that are added meanwhile. Resolves after the last one. */
  forEach<T>(items: Iterable<T>, work: (item: T) => void): Promise<void>;
}

/**
 * Handles many items in slices of `SLICE_MS`, all jobs in turn. In the pauses, requests are served, here and by other
 * processes of the machine, which have the readers of the bytes. `work` must not throw.
 */
export const createPacer = (clock: () => number = () => performance.now()): Pacer => {
  const jobs: Job[] = [];
  let isScheduled = false;

  /** Handles some items of the first job; then the next job is the first. */
  const turn = (): void => {
    const job = jobs.shift();
    if (job === undefined) return;
    for (let n = 0; n < ITEMS; n += 1) if (!job.step()) return job.done();
    jobs.push(job);
  };
  const schedule = (): void => {
    if (isScheduled || jobs.length === 0) return;
    isScheduled = true;
    setImmediate(slice);
  };
  const slice = (): void => {
    const until = clock() + SLICE_MS;
    do turn();
    while (jobs.length > 0 && clock() < until);
    if (jobs.length > 0) setTimeout(slice, PAUSE_MS);
    else isScheduled = false;
  };

  return {
    forEach: (items, work) =>
      new Promise((done) => {
        const iterator = items[Symbol.iterator]();
        const step = (): boolean => {
          const next = iterator.next();
          if (next.done !== true) work(next.value);
          return next.done !== true;
        };
        jobs.push({ step, done });
        schedule();
      }),
  };
};

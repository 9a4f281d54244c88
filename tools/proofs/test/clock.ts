type Time = Date | number | string;

/** A clock that only the test moves; the services of a fixture read it: `startFixture({ clock: clock.now })`. */
export interface Clock {
  now: () => Date;
  /** The instant so many milliseconds from now; before now when there are fewer than none. */
  after: (ms: number) => string;
  set: (to: Time) => void;
  pass: (ms: number) => void;
  /** Back to where it started. */
  reset: () => void;
  /** Lets time pass for this work only. */
  later: <T>(ms: number, work: () => Promise<T>) => Promise<T>;
}

export const clockAt = (start: Time): Clock => {
  let now = new Date(start);
  const moved = (ms: number): Date => new Date(now.getTime() + ms);
  return {
    now: () => now,
    after: (ms) => moved(ms).toISOString(),
    set: (to) => {
      now = new Date(to);
    },
    pass: (ms) => {
      now = moved(ms);
    },
    reset: () => {
      now = new Date(start);
    },
    later: async (ms, work) => {
      const before = now;
      now = moved(ms);
      try {
        return await work();
      } finally {
        now = before;
      }
    },
  };
};

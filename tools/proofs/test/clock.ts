type Time = Date | number | string;

/** A clock that only the test moves. Services of a fixture use it with `startFixture({ clock: clock.now })`. */
export interface Clock {
  now: () => Date;
  /** The instant `ms` milliseconds from now; negative values lie before now. */
  after: (ms: number) => string;
  set: (to: Time) => void;
  advance: (ms: number) => void;
  /** Sets the clock back to its start. */
  reset: () => void;
  /** Advances the clock by `ms` during this work only. */
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
    advance: (ms) => {
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

const HOUR_MS = 3_600_000;

/** A clock for the services of a fixture that stands still until a test moves it. */
export const clockAt = (start: string) => {
  let now = new Date(start);
  const clock = {
    now: (): Date => now,
    set: (at: string): void => {
      now = new Date(at);
    },
    /** Back to where it began. */
    reset: (): void => clock.set(start),
    pass: (hours: number): void => {
      now = new Date(now.getTime() + hours * HOUR_MS);
    },
    /** The instant so many hours from now, as it goes over the wire. */
    inHours: (hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString(),
    /** Does something so many hours later, and then it is now again. */
    later: async <T>(hours: number, work: () => Promise<T>): Promise<T> => {
      const before = now;
      clock.pass(hours);
      try {
        return await work();
      } finally {
        now = before;
      }
    },
  };
  return clock;
};
export type Clock = ReturnType<typeof clockAt>;

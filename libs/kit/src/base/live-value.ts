/** A value as it is now: it may change while the process runs, as a secret does that is read from a file. Asking is cheap. */
export type LiveValue<T> = () => T;

/** One that never changes. */
export const fixedValue =
  <T>(value: T): LiveValue<T> =>
  () =>
    value;

/** What is made of a live value: once for each value it has. */
export const derivedValue = <T, R>(live: LiveValue<T>, make: (value: T) => R): LiveValue<R> => {
  let made: { of: T; result: R } | undefined;
  return () => {
    const value = live();
    if (made === undefined || made.of !== value) made = { of: value, result: make(value) };
    return made.result;
  };
};

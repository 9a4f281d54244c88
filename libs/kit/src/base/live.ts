/** A value as it is now: it may change while the process runs, as a secret does that is read from a file. Asking is cheap. */
export type Live<T> = () => T;

/** One that never changes. */
export const fixed =
  <T>(value: T): Live<T> =>
  () =>
    value;

/** What is made of a live value: once for each value it has. */
export const derived = <T, R>(live: Live<T>, make: (value: T) => R): Live<R> => {
  let made: { of: T; result: R } | undefined;
  return () => {
    const value = live();
    if (made === undefined || made.of !== value) made = { of: value, result: make(value) };
    return made.result;
  };
};

/**
 * Returns the current value. It may change while the process runs, for example a secret that is read from a file. Calls
 * are cheap.
 */
export type LiveValue<T> = () => T;

/** A value that never changes. */
export const fixedValue =
  <T>(value: T): LiveValue<T> =>
  () =>
    value;

/** A value computed from a live value, once for each new value of it. */
export const derivedValue = <T, R>(live: LiveValue<T>, make: (value: T) => R): LiveValue<R> => {
  let cached: { of: T; result: R } | undefined;
  return () => {
    const value = live();
    if (cached === undefined || cached.of !== value) cached = { of: value, result: make(value) };
    return cached.result;
  };
};

/** A record with a value for each of these keys. */
export const recordOf = <K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> => {
  const filled: Partial<Record<K, V>> = {};
  for (const key of keys) filled[key] = value(key);
  // Each key was set just now.
  return filled as Record<K, V>;
};

/**
 * Decides which of two states of a record is stored, in a batch and in the table: the state with the highest or lowest
 * value in a column, or the first state for records that never change.
 */
export type MergeRule<N> = { highest: N } | { lowest: N } | 'first';

/** Comparable column values of a row, by column name. */
export type ComparableValues = Readonly<Record<string, number | string>>;

/** Returns whether the state `a` replaces the state `b`, which arrived before it. */
export const replacementTest = (keeps: MergeRule<string>): ((a: ComparableValues, b: ComparableValues) => boolean) => {
  if (keeps === 'first') return () => false;
  // One event can contain two states of a record with the same `seq`. The second state is stored.
  if ('highest' in keeps) return (a, b) => (a[keeps.highest] ?? 0) >= (b[keeps.highest] ?? 0);
  return (a, b) => (a[keeps.lowest] ?? 0) < (b[keeps.lowest] ?? 0);
};

/** SQL of the `on conflict` clause for an insert of these columns. */
export const onConflictClause = (
  table: { name: string; keys: readonly string[] },
  columns: readonly string[],
  keeps: MergeRule<string>,
): string => {
  if (keeps === 'first') return 'on conflict do nothing';
  const replaced = columns.filter((it) => !table.keys.includes(it)).map((it) => `${it} = excluded.${it}`);
  const [by, sign] = 'highest' in keeps ? [keeps.highest, '<'] : [keeps.lowest, '>'];
  return `on conflict (${table.keys.join(', ')}) do update set ${replaced.join(', ')}
    where ${table.name}.${by} ${sign} excluded.${by}`;
};

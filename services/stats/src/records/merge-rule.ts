/**
 * Which of two states of a record is kept, in a batch and in the table: the one with the highest or the lowest value
 * in a column, or the first, since such a record never changes.
 */
export type MergeRule<N> = { highest: N } | { lowest: N } | 'first';

/** Columns of a row by name, as they can be compared. */
export type Values = Readonly<Record<string, number | string>>;

/** Whether the first of two states takes the place of the second, which was told before it. */
export const replacesRow = (keeps: MergeRule<string>): ((a: Values, b: Values) => boolean) => {
  if (keeps === 'first') return () => false;
  // One event may tell two states of a record: of these the second is kept.
  if ('highest' in keeps) return (a, b) => (a[keeps.highest] ?? 0) >= (b[keeps.highest] ?? 0);
  return (a, b) => (a[keeps.lowest] ?? 0) < (b[keeps.lowest] ?? 0);
};

/** What an insert of these columns does where the table has the record. */
export const onConflict = (
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

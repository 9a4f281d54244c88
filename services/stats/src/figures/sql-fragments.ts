import { notNull, bigint, p } from '@teaching/kit';

/** SQL of the current generation. */
export const CURRENT_GEN = "(select gen from generation where state = 'current')";

/**
 * SQL of the slice that contains an instant, numbered from 1. `bounds` is the parameter with the starts of the slices.
 */
export const sliceOf = (at: string, bounds: string): string => `width_bucket(${at}, ${bounds}::timestamptz[])`;
export const SLICE = { slice: p.integer().nullable() };
export const CLAZZ_OR_SLICE = { clazz_id: p.uuid().nullable(), ...SLICE };

interface GroupedRows {
  clazz: string;
  at: string;
  bounds: string;
  sums: string;
  rows: string;
}

/**
 * SQL that sums rows three times at once: in total, for each class, and for each slice. `bounds` is the parameter with
 * the starts of the slices. A sum of a class has no slice, a sum of a slice has no class, and the total has neither.
 * Rows without a class are only in the total and the slices.
 */
export const groupedSums = ({ clazz, at, bounds, sums, rows }: GroupedRows): string =>
  `select ${clazz} as clazz_id, ${sliceOf(at, bounds)} as slice, ${sums}
   ${rows}
   group by grouping sets ((), (1), (2)) having count(*) > 0 and (grouping(${clazz}) = 1 or ${clazz} is not null)`;

/**
 * SQL of the start of the quarter of an hour that contains an instant. In all zones in use, days begin at such a start.
 */
export const quarterOf = (at: string): string => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`;

/** Columns of a select: their SQL and their types. */
interface Sums<K extends string, C> {
  columns: string;
  shape: Readonly<Record<K, C>>;
}

const sums = <K extends string, C>(names: readonly K[], sql: (name: K) => string, column: () => C): Sums<K, C> => ({
  columns: names.map((name) => `${sql(name)} as ${name}`).join(', '),
  shape: Object.fromEntries(names.map((name) => [name, column()])) as Record<K, C>,
});

/** Counts of rows: for each name, the number of rows that meet its condition. */
export const countsOf = <K extends string>(names: readonly K[], condition: (name: K) => string) =>
  sums(
    names,
    (name) => `count(*) filter (where ${condition(name)})::int`,
    () => notNull(p.integer()),
  );

/** Sums of integer columns. Each sum has the name of its column. */
export const sumsOf = <K extends string>(names: readonly K[], alias: string) =>
  sums(
    names,
    (name) => `sum(${alias}.${name})::bigint`,
    () => notNull(bigint()),
  );

/** Sums of hours in whole hundredths, by name. `names` contains the SQL of each. */
export const hundredthsOf = <K extends string>(names: Readonly<Record<K, string>>) =>
  sums(
    Object.keys(names) as K[],
    (name) => `(sum(${names[name]}) * 100)::bigint`,
    () => notNull(bigint()),
  );

/** The stored name of an erased person. The row stays, so that a late event cannot restore the name. */
export const ERASED = '';

/** SQL of the organization and the generation of records. It is that of the request or of a row. */
interface RecordScope {
  org_id: string;
  gen: string;
}
/** Records of an organization in the current generation. `org_id` is a parameter of the statement. */
export const currentRecordsOf = (org_id: string): RecordScope => ({ org_id, gen: CURRENT_GEN });

/** SQL of the name of a class by its id. It is null until an event with the class has arrived. */
export const nameOfClazz = (id: string, { org_id, gen }: RecordScope): string =>
  `(select n.name from clazz as n where n.org_id = ${org_id} and n.gen = ${gen} and n.id = ${id})`;

/** SQL of the start or end of a lesson by its id. It is null until an event with the lesson has arrived. */
export const timeOfLesson = (column: 'starts_at' | 'ends_at', id: string, { org_id, gen }: RecordScope): string =>
  `(select n.${column} from lesson as n where n.org_id = ${org_id} and n.gen = ${gen} and n.id = ${id})`;

/** SQL of the name of a person. It is null for unknown and erased people. */
export const nameOfPerson = (id: string, { org_id, gen }: RecordScope): string =>
  `(select n.display_name from member as n
    where n.org_id = ${org_id} and n.gen = ${gen} and n.user_id = ${id} and n.display_name <> '${ERASED}')`;

import {
  type ReceivedEvent,
  type RowOf,
  type Shape,
  statement,
  type Table,
  typeOf,
  type WorkerTransaction,
  type StoredRow,
} from '@teaching/kit';
import type { DirtyClazzes, LessonKey } from '../figures/refresh-clazz-figures.ts';
import { type MergeRule, onConflictClause, replacementTest, type ComparableValues } from './merge-rule.ts';

/**
 * Types whose text never needs quotes in an array. The search for characters to quote is the largest cost otherwise.
 */
const UNQUOTED_TYPES = /^(uuid|int|bigint|boolean|(numeric|timestamptz)(\(.*\))?)$/;
const unquotedArray = (values: readonly unknown[]): string => `{${values.map((value) => String(value)).join(',')}}`;

/**
 * Rows as one array for each column. Postgres reads arrays in half the time of a JSON document: 7 against 14 ms for
 * 3,000 marks. Marks are the largest part of its load.
 */
const arraysOf = (shape: Shape, columns: readonly string[]) => {
  const types = columns.map((name) => (shape[name] === undefined ? 'text' : typeOf(shape[name])));
  return {
    /** SQL of the rows `e`. The arrays are the parameters from $2. */
    rows: `unnest(${types.map((type, index) => `$${index + 2}::${type}[]`).join(', ')}) as e(${columns.join(', ')})`,
    values: (rows: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
      columns.map((name, index) => {
        const column = rows.map((row) => row[name]);
        return UNQUOTED_TYPES.test(types[index] ?? '') ? unquotedArray(column) : column;
      }),
  };
};

/** What must be updated after records have changed. */
interface Changes extends Partial<DirtyClazzes> {
  /** Lessons whose class, time or status changed, so that their marks must be updated. */
  moved?: LessonKey[];
}

/** Stores the states that were read. */
type StoreStates = (tx: WorkerTransaction, gen: number) => Promise<Changes>;

/** Reads the last states of one kind of record from a batch of events. */
export interface Projection {
  /** Name of the table that stores the records. */
  table: string;
  /** Returns a function that stores the states in the batch. Undefined if the batch contains none. */
  read(batch: readonly ReceivedEvent[]): StoreStates | undefined;
}

/** A row with the columns that events contain. */
type State<S extends Shape, A extends string> = Omit<StoredRow<Table<S>>, 'gen' | A>;

interface Rules<S extends Shape, A extends string, C extends Shape> {
  /**
   * `seq` is the offset in the source's log. The `version` of a record is not used: two states can have the same one.
   */
  mergeRule: MergeRule<keyof State<S, A> & string>;
  /** All states in a batch. */
  states: (batch: readonly ReceivedEvent[]) => Iterable<State<S, A>>;
  /** SQL of columns that are not in events, and of the join to the rows `e` that provides them. */
  added?: { join: string; columns: Readonly<Record<A, string>> };
  /** Returns the statement, which contains the upsert of the rows. `gen` is the parameter with the generation. */
  store?: (upsert: string, gen: string) => string;
  /** Shape of the rows that the statement returns. Absent: they are not read. */
  shape?: C;
  /** Returns what must be updated, from the stored states and the rows that the statement returned. */
  touched?: (states: readonly State<S, A>[], changed: readonly RowOf<C>[]) => Changes;
}

/** Parameter with the generation. */
const GENERATION = '$1';

/** The upsert of rows of a table, and its parameters after `GENERATION`. */
const upsertOf = (
  table: { name: string; shape: Shape; keys: readonly string[] },
  keeps: MergeRule<string>,
  added: { join: string; columns: Readonly<Record<string, string>> } = { join: '', columns: {} },
) => {
  const fromEvents = Object.keys(table.shape).filter((column) => column !== 'gen' && !(column in added.columns));
  const columns = [...fromEvents, ...Object.keys(added.columns)];
  const values = [...fromEvents.map((column) => `e.${column}`), ...Object.values(added.columns)];
  const arrays = arraysOf(table.shape, fromEvents);
  const upsert = `insert into ${table.name} (gen, ${columns.join(', ')})
    select ${GENERATION}, ${values.join(', ')} from ${arrays.rows} ${added.join}
    ${onConflictClause(table, columns, keeps)}`;
  return { upsert, values: arrays.values };
};

/** The state of each record that the merge rule selects. */
const lastOf = <R>(
  states: Iterable<R>,
  keys: readonly string[],
  isLater: (a: ComparableValues, b: ComparableValues) => boolean,
): R[] => {
  const last = new Map<string, R>();
  for (const state of states) {
    const values = state as ComparableValues;
    const key = keys.map((column) => values[column]).join(' ');
    const known = last.get(key);
    if (known === undefined || isLater(values, known as ComparableValues)) last.set(key, state);
  }
  return [...last.values()];
};

/** Declares how a kind of record is read from events and stored in its table. */
export const projection = <S extends Shape, A extends string = never, C extends Shape = {}>(
  table: Table<S>,
  { mergeRule, states, added, store = (upsert) => upsert, shape, touched = () => ({}) }: Rules<S, A, C>,
): Projection => {
  const { upsert, values } = upsertOf(table, mergeRule, added);
  const stored = statement(store(upsert, GENERATION), shape);
  const keys = table.keys.filter((column) => column !== 'gen');
  const isLater = replacementTest(mergeRule);
  return {
    table: table.name,
    read: (batch) => {
      const rows = lastOf(states(batch), keys, isLater);
      if (rows.length === 0) return undefined;
      const arrays = values(rows);
      return async (tx, gen) => {
        if (shape !== undefined) return touched(rows, await tx.query(stored, gen, ...arrays));
        tx.run(stored, gen, ...arrays);
        return touched(rows, []);
      };
    },
  };
};

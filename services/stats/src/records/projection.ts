import {
  type Received,
  type RowOf,
  type Shape,
  statement,
  type Table,
  type WorkerTx,
  type Written,
} from '@teaching/kit';
import type { DirtyClazzes, LessonKey } from '../figures/refresh-clazz-figures.ts';

/** What else has to follow when records have changed. */
export interface Touched extends Partial<DirtyClazzes> {
  /** Lessons whose marks count elsewhere now, or no more, or again. */
  moved?: LessonKey[];
}

/** Stores the last states that were read. */
type StoreStates = (tx: WorkerTx, gen: number) => Promise<Touched>;

/** Reads the last states of one kind of record from a batch of events. */
export interface Projection {
  /** The table they are stored in. */
  table: string;
  /** Answers what stores them; nothing when the batch tells of none. */
  read(batch: readonly Received[]): StoreStates | undefined;
}

/**
 * Which of two states of a record is kept, in a batch and in the table: the one with the highest or the lowest value
 * in a column, or the first, since such a record never changes. When one event tells two states with the same highest
 * value, the second is kept.
 */
type Keeps<N> = { highest: N } | { lowest: N } | 'first';

/** A row as events tell it. */
type Told<S extends Shape, A extends string> = Omit<Written<Table<S>>, 'gen' | A>;

interface Rules<S extends Shape, A extends string, C extends Shape> {
  /** `seq` is the place in the source's log. A record's own version may have been given twice and decides nothing. */
  keeps: Keeps<keyof Told<S, A> & string>;
  /** Every state a batch tells of. */
  states: (batch: readonly Received[]) => Iterable<Told<S, A>>;
  /** Columns that no event tells, by their SQL over what is joined to the told rows `e`. */
  added?: { join: string; columns: Readonly<Record<A, string>> };
  /** Makes the statement of the one that stores the rows; $1 is the generation. */
  store?: (upsert: string) => string;
  /** What rows that answers, if somebody reads them. */
  shape?: C;
  /** What has to follow what was told, and what the statement answered. */
  touched?: (told: readonly Told<S, A>[], changed: readonly RowOf<C>[]) => Touched;
}

/** Columns of a row by name, as they can be compared. */
type Values = Readonly<Record<string, number | string>>;

const isLater = (keeps: Keeps<string>): ((a: Values, b: Values) => boolean) => {
  if (keeps === 'first') return () => false;
  if ('highest' in keeps) return (a, b) => (a[keeps.highest] ?? 0) >= (b[keeps.highest] ?? 0);
  return (a, b) => (a[keeps.lowest] ?? 0) < (b[keeps.lowest] ?? 0);
};

const onConflict = (table: string, keys: readonly string[], names: readonly string[], keeps: Keeps<string>): string => {
  if (keeps === 'first') return 'on conflict do nothing';
  const replaced = names.filter((name) => !keys.includes(name)).map((name) => `${name} = excluded.${name}`);
  const [by, sign] = 'highest' in keeps ? [keeps.highest, '<'] : [keeps.lowest, '>'];
  return `on conflict (${keys.join(', ')}) do update set ${replaced.join(', ')} where ${table}.${by} ${sign} excluded.${by}`;
};

/** Declares how a kind of record is read and stored. Its rows travel as one JSON document, by column name. */
export const projection = <S extends Shape, A extends string = never, C extends Shape = {}>(
  { name, shape, keys }: Table<S>,
  rules: Rules<S, A, C>,
): Projection => {
  const { keeps, added } = rules;
  const columns: Readonly<Record<string, string>> = added?.columns ?? {};
  const told = Object.keys(shape).filter((column) => column !== 'gen' && !(column in columns));
  const all = [...told, ...Object.keys(columns)];
  const values = [...told.map((column) => `e.${column}`), ...Object.values(columns)];
  const upsert = `insert into ${name} (gen, ${all.join(', ')})
    select $1, ${values.join(', ')} from json_populate_recordset(null::${name}, $2) as e ${added?.join ?? ''}
    ${onConflict(name, keys, all, keeps)}`;
  const store = statement(rules.store?.(upsert) ?? upsert, rules.shape);
  const later = isLater(keeps);
  const own = keys.filter((column) => column !== 'gen');
  return {
    table: name,
    read: (batch) => {
      const last = new Map<string, Told<S, A>>();
      for (const row of rules.states(batch)) {
        const key = own.map((column) => (row as Values)[column]).join(' ');
        const known = last.get(key);
        if (known === undefined || later(row as Values, known as Values)) last.set(key, row);
      }
      if (last.size === 0) return undefined;
      const rows = [...last.values()];
      const document = JSON.stringify(rows, told);
      return async (tx, gen) => {
        if (rules.shape !== undefined) return rules.touched?.(rows, await tx.query(store, gen, document)) ?? {};
        tx.run(store, gen, document);
        return rules.touched?.(rows, []) ?? {};
      };
    },
  };
};

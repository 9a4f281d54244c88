import { type Received, type Statement, statement } from '@teaching/kit';

/** Column names and their Postgres types, in order. */
type Columns<R> = { readonly [K in keyof R & string]: string };

/** One kind of record: what events say of it, and the statement that stores its last states. */
export interface RecordKind<C> {
  /** The last states a batch tells of, as parameters from $2 on; `undefined` when it tells of none. */
  read(batch: readonly Received[]): unknown[] | undefined;
  /** $1 is the generation. Answers what else has to follow the change. */
  store: Statement<C>;
}

/** What a statement over rows is written with. */
export interface RowSql {
  /** The columns, comma-separated; for select and insert lists. */
  names: string;
  /** The rows to store, named `e`. */
  rows: string;
  /** `a = excluded.a, b = excluded.b, ...` */
  replaced: string;
}

/** `a = excluded.a, b = excluded.b, ...` */
export const replaced = (names: readonly string[]): string =>
  names.map((name) => `${name} = excluded.${name}`).join(', ');

/** Types whose text never needs quotes inside an array; looking for what to quote costs more than all the rest. */
const PLAIN = new Set(['uuid', 'int', 'bigint', 'numeric', 'boolean', 'timestamptz']);
const plainArray = (values: readonly unknown[]): string => `{${values.map((value) => String(value)).join(',')}}`;

/** Later states of the same record come after earlier ones. */
type Latest<R> = (a: R, b: R) => boolean;

/** Declares a kind of record. Rows travel as one array for each column, as many as there are. */
export const recordKind =
  <R extends { org_id: string }>() =>
  <C = Record<string, never>>(kind: {
    columns: Columns<R>;
    /** Tells records of one org apart. */
    key: (row: R) => string;
    /** Of two states of one record, whether the first is the later. */
    isLater: Latest<R>;
    /** Every state a batch tells of. */
    states: (batch: readonly Received[]) => Iterable<R>;
    store: (sql: RowSql) => string;
  }): RecordKind<C> => {
    const names = Object.keys(kind.columns) as (keyof R & string)[];
    const types = names.map((name) => kind.columns[name]);
    const toParams = (rows: readonly R[]): unknown[] =>
      names.map((name, index) => {
        const column = rows.map((row) => row[name]);
        return PLAIN.has(types[index] ?? '') ? plainArray(column) : column;
      });
    return {
      read: (batch) => {
        const last = new Map<string, R>();
        for (const row of kind.states(batch)) {
          const key = `${row.org_id} ${kind.key(row)}`;
          const known = last.get(key);
          if (known === undefined || kind.isLater(row, known)) last.set(key, row);
        }
        return last.size === 0 ? undefined : toParams([...last.values()]);
      },
      store: statement<C>(
        kind.store({
          names: names.join(', '),
          rows: `unnest(${types.map((type, index) => `$${index + 2}::${type}[]`).join(', ')}) as e(${names.join(', ')})`,
          replaced: replaced(names),
        }),
      ),
    };
  };

/**
 * The place in the source's log decides, and nothing else: a record's own version may have been given twice.
 * When one event tells two states of a record, the second is the later.
 */
export const bySeq = (a: { seq: number }, b: { seq: number }): boolean => a.seq >= b.seq;

import type { z } from 'zod';
import type { RowOf, Shape } from './columns.ts';
import type { StatementRunner } from './connection.ts';
import { runtimeStatement, type Statement, statement } from './statement.ts';

/** Some columns of a table: for select lists, and as the shape of the selected rows. */
export interface ColumnSet<S extends Shape> {
  readonly shape: S;
  /** The column names in order, separated by commas. */
  readonly columns: string;
  /** The column names, each with the table alias in front. */
  withAlias(alias: string): string;
}

const part = <S extends Shape>(shape: S): ColumnSet<S> => {
  const names = Object.keys(shape);
  return { shape, columns: names.join(', '), withAlias: (alias) => names.map((name) => `${alias}.${name}`).join(', ') };
};

type Shown<S extends Shape> = { [K in keyof S as S[K]['~declared'] extends { hidden: true } ? never : K]: S[K] };
type Written<S extends Shape> = { [K in keyof S as S[K]['~declared'] extends { persist: false } ? never : K]: S[K] };
type Names<S> = readonly (keyof S & string)[];

/** An update of whole rows, or of some of their columns, by key. */
export interface RowUpdate<S extends Shape> {
  readonly update: Statement<unknown, [rows: unknown]>;
  /** The parameter of `update` as JSON. Columns that stay unchanged are not sent. */
  toJson(rows: readonly Readonly<RowOf<S>>[]): string;
}

type AnyRow = Readonly<Record<string, unknown>>;

/** Rows as one JSON document. Values that all rows share are in it once, so that Postgres parses them once. */
const asDocument = (columns: readonly string[], rows: readonly AnyRow[]): string => {
  const [first, ...more] = rows;
  const some = (wanted: readonly string[], row: AnyRow) =>
    Object.fromEntries(wanted.map((column) => [column, row[column]]));
  if (first === undefined || more.length === 0) return JSON.stringify({ rows: rows.map((row) => some(columns, row)) });
  const isSame = (column: string): boolean => more.every((row) => row[column] === first[column]);
  const [same, different] = [columns.filter(isSame), columns.filter((column) => !isSame(column))];
  return JSON.stringify({ same: some(same, first), rows: rows.map((row) => some(different, row)) });
};

/**
 * A table and its basic statements. Whole rows are sent as one JSON document, by column name. A `hidden` column is used
 * in the database only and not selected; one with `persist(false)` is generated there and not written.
 */
export interface Table<S extends Shape = Shape> extends ColumnSet<Shown<S>>, RowUpdate<Written<S>> {
  readonly name: string;
  /** The rows in a parameter such as `$1` that `toJson` created, for a `from` clause. */
  rowsFrom(parameter: `$${number}`): string;
  /** Every column, including hidden ones. */
  readonly allColumns: Shape;
  /** The columns of its primary key. */
  readonly keys: readonly (keyof S & string)[];
  pick<const N extends Names<S>>(...names: N): ColumnSet<Pick<S, N[number]>>;
  omit<const N extends Names<Shown<S>>>(...names: N): ColumnSet<Omit<Shown<S>, N[number]>>;
  /** The columns that a record of a contract has. */
  contractColumns<W extends z.ZodRawShape>(record: z.ZodObject<W>): ColumnSet<Pick<Shown<S>, keyof W & keyof Shown<S>>>;
  /** Reads one row by its key. */
  readonly read: Statement<RowOf<Shown<S>>>;
  /** Like `read`, with a row lock until the transaction ends. */
  readonly lock: Statement<RowOf<Shown<S>>>;
  readonly insert: Statement<unknown, [rows: unknown]>;
  /** An update that leaves these columns unchanged. */
  updateWithout<const N extends Names<Written<S>>>(...names: N): RowUpdate<Omit<Written<S>, N[number]>>;
  /** Deletes one row by its key. */
  readonly remove: Statement;
}

/** A row of a table as selected. */
export type Row<T> = T extends { shape: infer S extends Shape } ? RowOf<S> : never;

/** A row as written: without values that the database generates. */
export type StoredRow<T> = T extends Table<infer S> ? Readonly<RowOf<Written<S>>> : never;

const tables: Table[] = [];
/** Every table of the loaded modules. */
export const declaredTables = (): readonly Table[] => tables;

/** Declares a table: its name and its columns. */
export const table = <const S extends Shape>(name: string, columns: S): Table<S> => {
  const allColumns: Shape = columns;
  const names = Object.keys(allColumns);
  const having = (wanted: (name: string) => boolean): Shape =>
    Object.fromEntries(Object.entries(allColumns).filter(([column]) => wanted(column)));
  const is = (option: 'primary' | 'hidden', column: string): boolean => allColumns[column]?.declared[option] === true;
  const shown = part(having((column) => !is('hidden', column)));
  const written = names.filter((column) => allColumns[column]?.declared.persist !== false);
  const keys = names.filter((column) => is('primary', column));
  const byKey = keys.map((column, index) => `${column} = $${index + 1}`).join(' and ');
  const rowsFrom = (parameter: string): string =>
    `jsonb_populate_recordset(jsonb_populate_record(null::${name}, ${parameter}::jsonb -> 'same'), ${parameter}::jsonb -> 'rows')`;
  // With `=`, the org of the given rows would have to equal that of row-level security. The planner would expect one
  // row and scan all given rows for each row of the table.
  const isSame = (key: string): string =>
    key === 'org_id' ? 'old.org_id = any (array[new.org_id])' : `old.${key} = new.${key}`;
  // The planner knows neither the number of given rows nor the size of the org; without this it may join all rows of
  // the org.
  const isGiven = (key: string): string[] =>
    key === 'org_id' ? [] : [`old.${key} = any (array(select new.${key} from new))`];
  // A table without a primary key does not register statements by key.
  const withKey = (text: string, shape: Shape = {}): Statement =>
    keys.length === 0 ? runtimeStatement(text, shape) : statement(text, shape);
  const updating = (sent: readonly string[]): Statement => {
    const changing = sent.filter((column) => !keys.includes(column));
    // A table of key columns alone has nothing else to set.
    const set = (changing.length > 0 ? changing : keys).map((column) => `${column} = new.${column}`);
    return withKey(
      `with new as materialized (select * from ${rowsFrom('$1')})
       update ${name} as old set ${set.join(', ')}
       from new where ${[...keys.map(isSame), ...keys.flatMap(isGiven)].join(' and ')}`,
    );
  };
  const updateWithout = (...left: string[]) => {
    const sent = written.filter((column) => !left.includes(column));
    return { update: updating(sent), toJson: (rows: readonly AnyRow[]) => asDocument(sent, rows) } as RowUpdate<Shape>;
  };
  const made: { [K in keyof Table]: unknown } = {
    ...shown,
    name,
    rowsFrom,
    allColumns,
    keys,
    pick: (...wanted: string[]) => part(having((column) => wanted.includes(column))),
    omit: (...left: string[]) => part(having((column) => column in shown.shape && !left.includes(column))),
    contractColumns: (record: z.ZodObject) => part(having((column) => column in shown.shape && column in record.shape)),
    read: withKey(`select ${shown.columns} from ${name} where ${byKey}`, shown.shape),
    lock: withKey(`select ${shown.columns} from ${name} where ${byKey} for update`, shown.shape),
    insert: statement(
      `insert into ${name} (${written.join(', ')}) select ${written.join(', ')} from ${rowsFrom('$1')}`,
    ),
    update: updating(written),
    updateWithout,
    remove: withKey(`delete from ${name} where ${byKey}`),
    toJson: (rows: readonly AnyRow[]) => asDocument(names, rows),
  };
  tables.push(made as Table);
  return made as unknown as Table<S>;
};

/** Inserts rows without waiting for the answer. */
export const insertRows = <S extends Shape>(
  on: Pick<StatementRunner, 'run'>,
  into: Table<S>,
  rows: readonly StoredRow<Table<S>>[],
): void => {
  if (rows.length > 0) on.run(into.insert, [into.toJson(rows)]);
};

/**
 * Replaces rows by their keys without waiting for the answer: of a table, or without the columns that `updateWithout`
 * excludes.
 */
export const updateRows = <S extends Shape>(
  on: Pick<StatementRunner, 'run'>,
  of: RowUpdate<S>,
  rows: readonly Readonly<RowOf<S>>[],
): void => {
  if (rows.length > 0) on.run(of.update, [of.toJson(rows)]);
};

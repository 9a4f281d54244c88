import type { z } from 'zod';
import type { RowOf, Shape } from './columns.ts';
import type { StatementRunner } from './connection.ts';
import { runtimeStatement, type Statement, statement } from './statement.ts';

/** Some columns of a table: for select lists, and as the shape of what they select. */
export interface ColumnSet<S extends Shape> {
  readonly shape: S;
  /** In order, by commas. */
  readonly columns: string;
  /** The same with the alias of the table in front of each. */
  of(alias: string): string;
}

const part = <S extends Shape>(shape: S): ColumnSet<S> => {
  const names = Object.keys(shape);
  return { shape, columns: names.join(', '), of: (alias) => names.map((name) => `${alias}.${name}`).join(', ') };
};

type Shown<S extends Shape> = { [K in keyof S as S[K]['~declared'] extends { hidden: true } ? never : K]: S[K] };
type Kept<S extends Shape> = { [K in keyof S as S[K]['~declared'] extends { persist: false } ? never : K]: S[K] };
type Names<S> = readonly (keyof S & string)[];

/** Replaces rows by their keys, or some columns of them. */
export interface RowUpdate<S extends Shape> {
  readonly update: Statement<unknown, [rows: unknown]>;
  /** Its parameter; what it leaves as it is does not travel. */
  rows(rows: readonly Readonly<RowOf<S>>[]): string;
}

type AnyRow = Readonly<Record<string, unknown>>;

/** One document: what all rows have in common stands in it once, so that Postgres reads it once, too. */
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
 * A table and the plain statements on it: whole rows travel as one JSON document, by column name. A column that is
 * `hidden` serves the database only and is not selected; one with `persist(false)` is made by it and not written.
 */
export interface Table<S extends Shape = Shape> extends ColumnSet<Shown<S>>, RowUpdate<Kept<S>> {
  readonly name: string;
  /** The rows that a parameter like `$1` made by `rows` carries, for a `from`. */
  given(parameter: `$${number}`): string;
  /** Every column, also those that are hidden. */
  readonly all: Shape;
  /** The columns of its key. */
  readonly keys: readonly (keyof S & string)[];
  some<const N extends Names<S>>(...names: N): ColumnSet<Pick<S, N[number]>>;
  without<const N extends Names<Shown<S>>>(...names: N): ColumnSet<Omit<Shown<S>, N[number]>>;
  /** What a record of a contract has of it. */
  wire<W extends z.ZodRawShape>(record: z.ZodObject<W>): ColumnSet<Pick<Shown<S>, keyof W & keyof Shown<S>>>;
  /** One row by its key. */
  readonly read: Statement<RowOf<Shown<S>>>;
  /** The same, held until the transaction ends. */
  readonly lock: Statement<RowOf<Shown<S>>>;
  readonly insert: Statement<unknown, [rows: unknown]>;
  /** An update that leaves these columns as they are. */
  updateWithout<const N extends Names<Kept<S>>>(...names: N): RowUpdate<Omit<Kept<S>, N[number]>>;
  /** Removes one row by its key. */
  readonly remove: Statement;
}

/** A row of a table, as it is selected. */
export type Row<T> = T extends { shape: infer S extends Shape } ? RowOf<S> : never;

/** A row as it is stored: without what the database makes itself. */
export type StoredRow<T> = T extends Table<infer S> ? Readonly<RowOf<Kept<S>>> : never;

const tables: Table[] = [];
/** Every table of the modules that are loaded. */
export const declaredTables = (): readonly Table[] => tables;

/** Declares a table: its name and its columns. */
export const table = <const S extends Shape>(name: string, columns: S): Table<S> => {
  const all: Shape = columns;
  const names = Object.keys(all);
  const having = (wanted: (name: string) => boolean): Shape =>
    Object.fromEntries(Object.entries(all).filter(([column]) => wanted(column)));
  const is = (option: 'primary' | 'hidden', column: string): boolean => all[column]?.declared[option] === true;
  const shown = part(having((column) => !is('hidden', column)));
  const written = names.filter((column) => all[column]?.declared.persist !== false);
  const keys = names.filter((column) => is('primary', column));
  const byKey = keys.map((column, index) => `${column} = $${index + 1}`).join(' and ');
  const given = (parameter: string): string =>
    `jsonb_populate_recordset(jsonb_populate_record(null::${name}, ${parameter}::jsonb -> 'same'), ${parameter}::jsonb -> 'rows')`;
  // By `=`, the org of the given rows would have to be that of row-level security: the planner would expect one of them
  // to be left, and go through all of them for each row of the table.
  const isSame = (key: string): string =>
    key === 'org_id' ? 'old.org_id = any (array[new.org_id])' : `old.${key} = new.${key}`;
  // The planner knows neither how many rows are given nor how large the org is; without this it may join all of the org.
  const isGiven = (key: string): string[] =>
    key === 'org_id' ? [] : [`old.${key} = any (array(select new.${key} from new))`];
  // A table without a primary key has no statement that needs one.
  const withKey = (text: string, shape: Shape = {}): Statement =>
    keys.length === 0 ? runtimeStatement(text, shape) : statement(text, shape);
  const updating = (sent: readonly string[]): Statement => {
    const changing = sent.filter((column) => !keys.includes(column));
    // In a table of keys alone there is nothing else to set.
    const set = (changing.length > 0 ? changing : keys).map((column) => `${column} = new.${column}`);
    return withKey(
      `with new as materialized (select * from ${given('$1')})
       update ${name} as old set ${set.join(', ')}
       from new where ${[...keys.map(isSame), ...keys.flatMap(isGiven)].join(' and ')}`,
    );
  };
  const updateWithout = (...left: string[]) => {
    const sent = written.filter((column) => !left.includes(column));
    return { update: updating(sent), rows: (rows: readonly AnyRow[]) => asDocument(sent, rows) };
  };
  const made = {
    ...shown,
    name,
    given,
    all,
    keys,
    some: (...wanted: string[]) => part(having((column) => wanted.includes(column))),
    without: (...left: string[]) => part(having((column) => column in shown.shape && !left.includes(column))),
    wire: (record: z.ZodObject) => part(having((column) => column in shown.shape && column in record.shape)),
    read: withKey(`select ${shown.columns} from ${name} where ${byKey}`, shown.shape),
    lock: withKey(`select ${shown.columns} from ${name} where ${byKey} for update`, shown.shape),
    insert: statement(`insert into ${name} (${written.join(', ')}) select ${written.join(', ')} from ${given('$1')}`),
    update: updating(written),
    updateWithout,
    remove: withKey(`delete from ${name} where ${byKey}`),
    rows: (rows: readonly AnyRow[]) => asDocument(names, rows),
  };
  tables.push(made as unknown as Table);
  return made as unknown as Table<S>;
};

/** Stores new rows, without waiting. */
export const insertRows = <S extends Shape>(
  on: Pick<StatementRunner, 'run'>,
  into: Table<S>,
  rows: readonly StoredRow<Table<S>>[],
): void => {
  if (rows.length > 0) on.run(into.insert, [into.rows(rows)]);
};

/** Replaces rows by their keys, without waiting: of a table, or but for the columns that `updateWithout` names. */
export const updateRows = <S extends Shape>(
  on: Pick<StatementRunner, 'run'>,
  of: RowUpdate<S>,
  rows: readonly Readonly<RowOf<S>>[],
): void => {
  if (rows.length > 0) on.run(of.update, [of.rows(rows)]);
};

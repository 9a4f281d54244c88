import type { Work } from './connection.ts';
import type { RowOf, Shape } from './shape.ts';
import type { Table, Update, Written } from './table.ts';

/** Stores new rows, without waiting. */
export const insertRows = <S extends Shape>(
  on: Pick<Work, 'run'>,
  table: Table<S>,
  rows: readonly Written<Table<S>>[],
): void => {
  if (rows.length > 0) on.run(table.insert, [table.rows(rows)]);
};

/** Replaces rows by their keys, without waiting: of a table, or but for the columns that `updateWithout` names. */
export const updateRows = <S extends Shape>(
  on: Pick<Work, 'run'>,
  table: Update<S>,
  rows: readonly Readonly<RowOf<S>>[],
): void => {
  if (rows.length > 0) on.run(table.update, [table.rows(rows)]);
};

/** Column names and their Postgres types, in order. */
type Columns = Readonly<Record<string, string>>;

/** How rows travel to Postgres: one array for each column, as many rows as there are. */
export interface RowSet<R> {
  /** `unnest(...)` of the arrays as parameters from number `first` on, named `alias`. */
  from(alias: string, first: number): string;
  /** The column names, comma-separated, for select and insert lists. */
  names: string;
  /** The parameters. */
  values(rows: readonly R[]): unknown[][];
}

/** Declares a set of rows; the row type must have exactly these columns. */
export const rowSet = <R extends object>(
  columns: { readonly [K in keyof R & string]: string } & Columns,
): RowSet<R> => {
  const names = Object.keys(columns) as (keyof R & string)[];
  return {
    names: names.join(', '),
    from: (alias, first) =>
      `unnest(${names.map((name, index) => `$${first + index}::${columns[name]}[]`).join(', ')}) as ${alias}(${names.join(', ')})`,
    values: (rows) => names.map((name) => rows.map((row) => row[name])),
  };
};

import type { Type } from '@mikro-orm/postgresql';

/** Columns by name, each as `p` of MikroORM declares it: what a row of a table or of a statement looks like. */
export type Shape = Readonly<Record<string, Column>>;

export interface Column {
  '~type'?: { value: unknown };
  '~options': unknown;
}

type ValueOf<C extends Column> =
  | NonNullable<C['~type']>['value']
  | (C['~options'] extends { nullable: true } ? null : never);

/** One row, by column names. What may be null is there all the same. */
export type RowOf<S extends Shape> = { -readonly [K in keyof S]: ValueOf<S[K]> };

/** What was declared of a column. */
export interface ColumnOptions {
  primary?: boolean;
  nullable?: boolean;
  hidden?: boolean;
  persist?: boolean;
  /** See `always`. */
  always?: boolean;
  /** Its type, where it is not one that is known. */
  columnType?: string;
  type?: Type | (new () => Type);
}

/** The declarations of a table's columns come out of `defineEntity` unwrapped. */
export const optionsOf = (column: Column): ColumnOptions => column['~options'] ?? column;

/**
 * An expression that is never null by its form: `count(*)`, `exists (…)`, `coalesce(…, 0)`. Postgres tells of columns
 * of tables only, so this is said by hand, and only of expressions and of columns of views.
 */
export const always = <C extends Column>(column: C): C =>
  ({ '~options': { ...optionsOf(column), always: true } }) as unknown as C;

type OrNull<S extends Shape> = {
  readonly [K in keyof S]: { '~type'?: S[K]['~type']; '~options': { nullable: true } };
};

/** The same columns where the whole row may be missing: the other side of an outer join. */
export const orNull = <S extends Shape>(shape: S): OrNull<S> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, column]) => [name, { '~options': { ...optionsOf(column), nullable: true } }]),
  ) as OrNull<S>;

/** The same columns out of a `union`: they are no columns of a table any more, so Postgres does not tell which are never null. */
export const united = <S extends Shape>(shape: S): S =>
  Object.fromEntries(
    Object.entries(shape).map(([name, column]) => [
      name,
      optionsOf(column).nullable === true ? column : always(column),
    ]),
  ) as S;

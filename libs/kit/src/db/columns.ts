/** The declared properties of a column. */
interface Declaration {
  /** Its type in Postgres. */
  type: string;
  nullable?: boolean;
  /** Whether the column belongs to the primary key. */
  primary?: boolean;
  /** Whether only the database uses the column; it is not selected. */
  hidden?: boolean;
  /** `false`: the database generates the value; it is not written. */
  persist?: boolean;
  /** See `notNull`. */
  notNull?: boolean;
}

/** A column of a table or of the rows of a statement. */
export class Column<out T = unknown, out D = unknown> {
  readonly declared: Declaration;
  /** Carry types only; never set. */
  declare readonly '~value': T;
  declare readonly '~declared': D;

  constructor(declared: Declaration) {
    this.declared = declared;
  }

  #with<V, E>(more: Partial<Declaration>): Column<V, E> {
    return new Column({ ...this.declared, ...more });
  }

  nullable(): Column<T, D & { nullable: true }> {
    return this.#with({ nullable: true });
  }

  primary(): Column<T, D & { primary: true }> {
    return this.#with({ primary: true });
  }

  hidden(): Column<T, D & { hidden: true }> {
    return this.#with({ hidden: true });
  }

  persist(persist: false): Column<T, D & { persist: false }> {
    return this.#with({ persist });
  }

  /** Declares another Postgres type. */
  columnType(type: string): Column<T, D> {
    return this.#with({ type });
  }

  /** Declares a narrower TypeScript type of the value. */
  $type<V>(): Column<V, D> {
    return this.#with({});
  }

  notNull(): Column<T, D> {
    return this.#with({ notNull: true });
  }
}

const column = <T>(type: string) => new Column<T, {}>({ type });

/** Column constructors by kind of value. Values have their wire form: see `wireTypes`. */
export const p = {
  uuid: () => column<string>('uuid'),
  text: () => column<string>('text'),
  /** One of the given texts. */
  enum: <const V extends string>(_values: readonly V[]) => column<V>('text'),
  boolean: () => column<boolean>('boolean'),
  integer: () => column<number>('int'),
  double: () => column<number>('double precision'),
  /** An exact decimal of any size. */
  decimal: () => column<string>('numeric'),
  /** `YYYY-MM-DD` */
  date: () => column<string>('date'),
  json: <V = unknown>() => column<V>('jsonb'),
  array: <V = string>() => column<V[]>('text[]'),
};

/** An instant with milliseconds, as RFC 3339 text. */
export const instant = () => column<string>('timestamptz(3)');
/** Hours, points and other exact decimals with two places, as text. */
export const hundredths = (digits = 12) => column<string>(`numeric(${digits},2)`);
/** A `bigint` below 2^53: amounts of money, sequence numbers, counts. */
export const bigint = () => column<number>('bigint');
export const bigints = () => column<number[]>('bigint[]');
export const uuids = () => column<string[]>('uuid[]');
export const texts = () => column<string[]>('text[]');
/** A period of time. It is read by its bounds, never as a whole. */
export const period = () => column<string>('tstzrange');
/** The result of a function that is called for its effect, such as taking a lock. */
export const voidResult = () => column<string>('void').nullable();

/** Columns by name: the row type of a table or of a statement. */
export type Shape = Readonly<Record<string, Column>>;

type IsNullable<C extends Column> = C['~declared'] extends { nullable: true } ? null : never;

/** One row by column names. A null value is present as null. */
export type RowOf<S extends Shape> = { -readonly [K in keyof S]: S[K]['~value'] | IsNullable<S[K]> };

/** The type of a column in Postgres. */
export const typeOf = ({ declared }: Column): string => declared.type;

/**
 * Declares that an expression is never null: `count(*)`, `exists (…)`, `coalesce(…, 0)`. Postgres reports that only for
 * table columns. So it is declared by hand, and only for expressions and view columns.
 */
export const notNull = <T, D>(one: Column<T, D>): Column<T, D> => one.notNull();

/** The same columns for the other side of an outer join, where the whole row may be missing. */
export const nullableColumns = <S extends Shape>(shape: S) =>
  Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, one.nullable()])) as {
    readonly [K in keyof S]: Column<S[K]['~value'], { nullable: true }>;
  };

/** The same columns selected from a `union`. Postgres no longer reports which of them are never null. */
export const unionColumns = <S extends Shape>(shape: S): S =>
  Object.fromEntries(
    Object.entries(shape).map(([name, one]) => [name, one.declared.nullable === true ? one : notNull(one)]),
  ) as S;

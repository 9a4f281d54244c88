/** What is declared of a column. */
interface Declaration {
  /** Its type, as Postgres calls it. */
  type: string;
  nullable?: boolean;
  /** Part of the key of its table. */
  primary?: boolean;
  /** Serves the database only and is not selected. */
  hidden?: boolean;
  /** `false`: made by the database and not written. */
  persist?: boolean;
  /** See `always`. */
  always?: boolean;
}

/** A column of a table or of a statement's rows: what it holds, and what is declared of it. */
export class Column<out T = unknown, out D = unknown> {
  readonly declared: Declaration;
  /** Only carry types; never set. */
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

  /** Another type of Postgres. */
  columnType(type: string): Column<T, D> {
    return this.#with({ type });
  }

  /** A narrower type of what it holds. */
  $type<V>(): Column<V, D> {
    return this.#with({});
  }

  always(): Column<T, D> {
    return this.#with({ always: true });
  }
}

const column = <T>(type: string) => new Column<T, {}>({ type });

/** Columns by the kind of what they hold. Rows come out of Postgres as they go over the wire: see `wireTypes`. */
export const p = {
  uuid: () => column<string>('uuid'),
  text: () => column<string>('text'),
  /** One of some texts. */
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

/** An instant with milliseconds, as the RFC 3339 text it has on the wire. */
export const instant = () => column<string>('timestamptz(3)');
/** Hours, points and other exact decimals with two places, as a string. */
export const hundredths = (digits = 12) => column<string>(`numeric(${digits},2)`);
/** `bigint` that stays below 2^53: amounts of money, sequence numbers, counts. */
export const bigint = () => column<number>('bigint');
export const bigints = () => column<number[]>('bigint[]');
export const uuids = () => column<string[]>('uuid[]');
export const texts = () => column<string[]>('text[]');
/** A period of time, read by its bounds and never as a whole. */
export const period = () => column<string>('tstzrange');
/** The result of a function that is called for its effect, such as a lock. */
export const voidResult = () => column<string>('void').nullable();

/** Columns by name: what a row of a table or of a statement looks like. */
export type Shape = Readonly<Record<string, Column>>;

type IsNullable<C extends Column> = C['~declared'] extends { nullable: true } ? null : never;

/** One row, by column names. What may be null is there all the same. */
export type RowOf<S extends Shape> = { -readonly [K in keyof S]: S[K]['~value'] | IsNullable<S[K]> };

/** What Postgres calls the type of a column. */
export const typeOf = ({ declared }: Column): string => declared.type;

/**
 * An expression that is never null by its form: `count(*)`, `exists (…)`, `coalesce(…, 0)`. Postgres knows it of columns
 * of tables only, so this is said by hand, and only of expressions and of columns of views.
 */
export const always = <T, D>(one: Column<T, D>): Column<T, D> => one.always();

/** The same columns where the whole row may be missing: the other side of an outer join. */
export const orNull = <S extends Shape>(shape: S) =>
  Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, one.nullable()])) as {
    readonly [K in keyof S]: Column<S[K]['~value'], { nullable: true }>;
  };

/** The same columns out of a `union`: they are no columns of a table any more, so Postgres does not know which are never null. */
export const fromUnion = <S extends Shape>(shape: S): S =>
  Object.fromEntries(
    Object.entries(shape).map(([name, one]) => [name, one.declared.nullable === true ? one : always(one)]),
  ) as S;

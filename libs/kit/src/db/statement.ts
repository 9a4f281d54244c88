import { createHash } from 'node:crypto';
import type { RowOf, Shape } from './columns.ts';

/**
 * One SQL statement, written once at module level. The name makes it a prepared statement on every
 * connection; it is derived from the text so that equal text shares a plan.
 */
export interface Statement<R = unknown, P extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** What a row looks like; a test lets Postgres describe the statement and compares. */
  readonly shape: Shape;
  /** Only carry the types of a row and of the parameters; never set. */
  readonly '~row'?: R;
  readonly '~parameters'?: P;
}

type Numbers = [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
/** The highest `$n` in a text. */
type Highest<T extends string, N = Numbers> = N extends [infer H extends number, ...infer Rest]
  ? T extends `${string}$${H}${string}`
    ? H
    : Highest<T, Rest>
  : 0;
type Values<N extends number, V extends readonly unknown[] = []> = V['length'] extends N
  ? V
  : Values<N, [...V, unknown]>;
/** Part of the text is not known to the compiler, so there may be more parameters in it. */
type IsOpen<T extends string> = {} extends Record<T, 1> ? true : false;
type Parameters<T extends string> = IsOpen<T> extends true ? [...Values<Highest<T>>, ...unknown[]] : Values<Highest<T>>;

/** A statement that is made at run time, for instance for a combination of filters. */
export const runtimeStatement = <R>(text: string, shape: Shape): Statement<R> => ({
  name: createHash('sha1').update(text).digest('base64url').slice(0, 16),
  text,
  shape,
});

const declared: (() => readonly Statement[])[] = [];

/** Lets the test of all statements know of some that are made at run time. */
export const declareStatements = (examples: () => readonly Statement[]): void => void declared.push(examples);

/** Every statement of the modules that are loaded. */
export const declaredStatements = (): Statement[] => declared.flatMap((examples) => examples());

/** Declares a statement; `shape` says which columns its rows have. */
export const statement = <const T extends string, const S extends Shape = {}>(
  text: T,
  shape?: S,
): Statement<RowOf<S>, Parameters<T>> => {
  const made = runtimeStatement<RowOf<S>>(text, shape ?? {});
  declareStatements(() => [made]);
  return made as Statement<RowOf<S>, Parameters<T>>;
};

/**
 * A value as text, where the driver would make one by itself: what cannot be written fails here and not on a connection, and
 * the driver's own way of writing a Date is many times slower.
 */
const toText = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(toText) : JSON.stringify(value);
};

/** A statement with its parameters, as the driver takes it. Throws when one of them cannot be sent. */
export const toDriverQuery = ({ name, text }: Statement, values: readonly unknown[]) => ({
  name,
  text,
  values: values.map(toText),
});

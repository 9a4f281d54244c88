import { createHash } from 'node:crypto';
import type { RowOf, Shape } from './columns.ts';

/**
 * One SQL statement, defined at module level. Its name makes it a prepared statement on every connection. The name is
 * derived from the text, so equal texts share a plan.
 */
export interface Statement<R = unknown, P extends readonly unknown[] = readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** The columns of a row. A test compares them with the description by Postgres. */
  readonly shape: Shape;
  /** Carry the types of a row and of the parameters only; never set. */
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
/** Whether a part of the text is unknown to the compiler, so that it may contain more parameters. */
type IsOpen<T extends string> = {} extends Record<T, 1> ? true : false;
type Parameters<T extends string> = IsOpen<T> extends true ? [...Values<Highest<T>>, ...unknown[]] : Values<Highest<T>>;

/** A statement that is created at run time, for instance for a combination of filters. */
export const runtimeStatement = <R>(text: string, shape: Shape): Statement<R> => ({
  name: createHash('sha1').update(text).digest('base64url').slice(0, 16),
  text,
  shape,
});

const declared: (() => readonly Statement[])[] = [];

/** Registers examples of statements that are created at run time, for the test of all statements. */
export const declareStatements = (examples: () => readonly Statement[]): void => void declared.push(examples);

/** Every statement of the loaded modules. */
export const declaredStatements = (): Statement[] => declared.flatMap((examples) => examples());

/** Declares a statement. `shape` describes the columns of its rows. */
export const statement = <const T extends string, const S extends Shape = {}>(
  text: T,
  shape?: S,
): Statement<RowOf<S>, Parameters<T>> => {
  const made = runtimeStatement<RowOf<S>>(text, shape ?? {});
  declareStatements(() => [made]);
  return made as Statement<RowOf<S>, Parameters<T>>;
};

/**
 * Converts a value to text where the driver would. A value that cannot be converted fails here and not on a connection,
 * and the driver's conversion of a Date is many times slower.
 */
const toText = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(toText) : JSON.stringify(value);
};

/** A statement with its parameters in the driver's form. Throws if a parameter cannot be sent. */
export const toDriverQuery = ({ name, text }: Statement, values: readonly unknown[]) => ({
  name,
  text,
  values: values.map(toText),
});

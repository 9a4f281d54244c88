import { createHash } from 'node:crypto';

/**
 * One SQL statement, written once at module level. The name makes it a prepared statement on every
 * connection; it is derived from the text so that equal text shares a plan.
 */
export interface Statement<R> {
  readonly name: string;
  readonly text: string;
  /** Only carries the row type; never set. */
  readonly row?: R;
}

/** Declares a statement; `R` is the shape of one row it returns. */
export const statement = <R = Record<string, never>>(text: string): Statement<R> => ({
  name: createHash('sha1').update(text).digest('base64url').slice(0, 16),
  text,
});

/** Parameters as they are sent. A Date goes as text: the driver's own way of writing one is many times slower. */
export const wireValues = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (value instanceof Date ? value.toISOString() : value));

/** Binds a connection to an org for row-level security; `''` binds it to none. */
export const SET_ORG = statement("select set_config('app.org_id', $1, false)");

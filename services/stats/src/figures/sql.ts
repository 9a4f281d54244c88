import { statement } from '@teaching/kit';

/** The generation that counts. */
export const GEN = "(select gen from generation where state = 'current')";

/** The slice of the range that an instant lies in, from 1; `bounds` is the parameter with their beginnings. */
export const sliceOf = (at: string, bounds: string): string => `width_bucket(${at}, ${bounds}::timestamptz[])`;

/** The quarter of an hour that an instant lies in: no zone in use begins its days elsewhere. */
export const quarterOf = (at: string): string => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`;

/** Sums of counts, each under its own name. */
export const sums = (names: readonly string[], alias: string): string =>
  names.map((name) => `sum(${alias}.${name})::int as ${name}`).join(', ');

/** A sum of hours in whole hundredths. */
export const hundredths = (what: string, name: string): string => `(sum(${what}) * 100)::bigint as ${name}`;

export const NAME = statement<{ display_name: string }>(
  `select display_name from member where org_id = $1 and gen = ${GEN} and user_id = $2`,
);

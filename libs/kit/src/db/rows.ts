import type pg from 'pg';
import { queryOf, type Statement } from './statement.ts';

/** Runs a statement outside of sessions, on a pool or on one connection; answers its rows. */
export const rows = async <R, P extends readonly unknown[]>(
  on: Pick<pg.ClientBase, 'query'>,
  what: Statement<R, P>,
  ...params: P
): Promise<R[]> => (await on.query<R & pg.QueryResultRow>(queryOf(what, params))).rows;

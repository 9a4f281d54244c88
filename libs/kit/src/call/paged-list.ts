import { type Filter, keysetList, type ListSpec } from '../db/list.ts';
import type { Session } from './session.ts';

export interface Page<R> {
  items: R[];
  next_cursor: string | null;
}

/** Half of what the bus carries in one message. */
const MAX_PAGE_BYTES = 4_000_000;

/** The first rows that fit into one answer, at least one. */
const fitting = <R>(rows: readonly R[]): R[] => {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return rows.slice(0, end < 0 ? rows.length : end);
};

/**
 * A list call: filters, sort, cursor and limit in, one page out. A cursor only fits the list it came from:
 * the same call, org, filters and sort. What may differ from page to page (the time, the caller's classes)
 * goes into `joins`.
 */
export const pagedList = <R, S extends string>(spec: ListSpec<S>) => {
  const list = keysetList<R, S>(spec);
  return async (
    session: Session,
    query: { limit: number; cursor?: string | undefined; sort: S | `-${S}` },
    filters: readonly Filter[],
    joins: readonly Filter[] = [],
  ): Promise<Page<R>> => {
    const name = JSON.stringify([query.sort, filters]);
    const after = session.openCursor(query.cursor, name);
    const { statement, params } = list({ filters, joins, sort: query.sort, after, limit: query.limit });
    const rows = await session.query(statement, ...params);
    const page = rows.slice(0, query.limit);
    const items = spec.bulky === true ? fitting(page) : page;
    const last = rows.length > items.length ? items.at(-1) : undefined;
    const next_cursor = last === undefined ? null : session.sealCursor([last.sort_key, last.sort_id], name);
    return { items: items.map(({ sort_key: _key, sort_id: _id, ...row }) => row as unknown as R), next_cursor };
  };
};

import { type Answer, rowsOf } from '@teaching/client/browser';
import { useRef } from 'preact/hooks';
import { type QueryState, useQuery } from './query.ts';
import type { Concern } from './concern.rules.ts';

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}
type List<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Page<T>>>;

/** The first rows of a list, and the cursor of the next page. */
export interface Rows<T> {
  items: readonly T[];
  /** `null` if there are no more rows. */
  next_cursor: string | null;
}

/** A list in pages: `loadMore` reads the next page. */
export interface PagedRows<T> extends QueryState<Rows<T>> {
  readonly loadMore: () => Promise<void>;
}

/** Reads pages until there are `wanted` rows, or no more rows. */
const readRows = async <T>(list: List<T>, wanted: number, signal: AbortSignal): Promise<Rows<T>> => {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const { data }: Answer<Page<T>> = await list(cursor ?? undefined, signal);
    items.push(...data.items);
    cursor = data.next_cursor;
  } while (cursor !== null && items.length < wanted);
  return { items, next_cursor: cursor };
};

/** Reads a list from its beginning. A new request reads as many rows as are shown. `all` reads every page. */
export const useRows = <T>(key: string, list: List<T>, concern: Concern, { all = false } = {}): PagedRows<T> => {
  const currentQuery = useRef<QueryState<Rows<T>>>(undefined);
  // The key differs from the same key in `useQuery`: a key identifies one type of answer.
  const query = useQuery<Rows<T>>(
    `${key}, in pages`,
    (signal) => readRows(list, all ? Infinity : (currentQuery.current?.data.peek()?.items.length ?? 1), signal),
    concern,
  );
  currentQuery.current = query;
  const loadMore = async (): Promise<void> => {
    const shown = query.data.peek();
    if (shown === undefined || shown.next_cursor === null) return;
    const { data } = await list(shown.next_cursor, new AbortController().signal);
    if (query.data.peek() !== shown) return;
    query.put({ items: [...shown.items, ...data.items], next_cursor: data.next_cursor });
  };
  return { ...query, loadMore };
};

/** Reads all rows of a list, page by page; for lists that a screen shows completely. */
export const readAllRows = async <T>(
  list: (page: { limit: string; cursor?: string }) => Promise<Answer<Page<T>>>,
): Promise<T[]> => {
  const rows: T[] = [];
  const pages = rowsOf((cursor) => list({ limit: '100', ...(cursor === undefined ? {} : { cursor }) }));
  for await (const row of pages) rows.push(row);
  return rows;
};

import { type Answer, rowsOf } from '@teaching/client/browser';
import { useRef } from 'preact/hooks';
import { type QueryState, useQuery } from './query.ts';
import type { Concern } from './concern.rules.ts';

interface Page<T> {
  items: readonly T[];
  next_cursor: string | null;
}
type List<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Page<T>>>;

/** The first rows of a list, and where it goes on. */
export interface Rows<T> {
  items: readonly T[];
  /** `null`: these are all. */
  next_cursor: string | null;
}

/** A list that can be shown on: `more` reads its next page. */
export interface ListedRows<T> extends QueryState<Rows<T>> {
  readonly more: () => Promise<void>;
}

/** Pages until there are so many rows, or no more of them. */
export const readRows = async <T>(list: List<T>, wanted: number, signal: AbortSignal): Promise<Rows<T>> => {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const { data }: Answer<Page<T>> = await list(cursor ?? undefined, signal);
    items.push(...data.items);
    cursor = data.next_cursor;
  } while (cursor !== null && items.length < wanted);
  return { items, next_cursor: cursor };
};

/**
 * A list that is shown from its beginning: `more` reads its next page; when it is asked again, as many rows come as are
 * shown. `all` reads every page.
 */
export const useRows = <T>(key: string, list: List<T>, concern: Concern, { all = false } = {}): ListedRows<T> => {
  const held = useRef<QueryState<Rows<T>>>(undefined);
  // Pages are cached apart from what `useQuery` has under the same key: a key stands for one kind of answer.
  const asked = useQuery<Rows<T>>(
    `${key}, in pages`,
    (signal) => readRows(list, all ? Infinity : (held.current?.data.peek()?.items.length ?? 1), signal),
    concern,
  );
  held.current = asked;
  const more = async (): Promise<void> => {
    const shown = asked.data.peek();
    if (shown === undefined || shown.next_cursor === null) return;
    const { data } = await list(shown.next_cursor, new AbortController().signal);
    if (asked.data.peek() !== shown) return;
    asked.put({ items: [...shown.items, ...data.items], next_cursor: data.next_cursor });
  };
  return { ...asked, more };
};

/** All rows of a list, by as many pages as it takes; for lists that a screen shows whole. */
export const allRows = async <T>(
  list: (page: { limit: string; cursor?: string }) => Promise<Answer<Page<T>>>,
): Promise<T[]> => {
  const rows: T[] = [];
  const pages = rowsOf((cursor) => list({ limit: '100', ...(cursor === undefined ? {} : { cursor }) }));
  for await (const row of pages) rows.push(row);
  return rows;
};

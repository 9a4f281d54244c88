import type { ComponentChildren } from 'preact';
import type { PagedRows } from '../row-query.ts';
import { QueryView } from './query-view.tsx';
import { NextPage } from './next-page.tsx';

interface ListViewProps<T> {
  query: PagedRows<T>;
  /** The number of placeholder lines while it loads. */
  rows: number;
  /** Shown instead of an empty list. */
  empty: ComponentChildren;
  /** The class of the list element. */
  as?: 'rows' | 'options';
  children: (row: T) => ComponentChildren;
}

/** A list in rows, with a button for the next page. */
export const ListView = <T,>({ query, rows, empty, as = 'rows', children }: ListViewProps<T>) => (
  <QueryView query={query} rows={rows}>
    {({ items }) =>
      items.length === 0 ? (
        empty
      ) : (
        <>
          <ul class={as}>{items.map(children)}</ul>
          <NextPage query={query} />
        </>
      )
    }
  </QueryView>
);

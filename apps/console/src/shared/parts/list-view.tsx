import type { ComponentChildren } from 'preact';
import type { ListedRows } from '../row-query.ts';
import { QueryView } from './query-view.tsx';
import { NextPage } from './next-page.tsx';

interface ListedProps<T> {
  of: ListedRows<T>;
  /** So many lines stand for it while it is asked for. */
  rows: number;
  /** What stands there when there is none. */
  empty: ComponentChildren;
  /** How its rows are drawn. */
  as?: 'rows' | 'options';
  children: (row: T) => ComponentChildren;
}

/** A list from its beginning, an item a row, and the way to more of it. */
export const ListView = <T,>({ of, rows, empty, as = 'rows', children }: ListedProps<T>) => (
  <QueryView of={of} rows={rows}>
    {({ items }) =>
      items.length === 0 ? (
        empty
      ) : (
        <>
          <ul class={as}>{items.map(children)}</ul>
          <NextPage of={of} />
        </>
      )
    }
  </QueryView>
);

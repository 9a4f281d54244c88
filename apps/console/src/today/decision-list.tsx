import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { number } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { NextPage } from '../shared/parts/next-page.tsx';
import type { PagedRows } from '../shared/row-query.ts';
import { t } from './today-texts.ts';

/** The number of rows that a folded list shows. */
const FOLDED_ROWS = 6;

/** A count as text, with a plus if there are more rows than were requested. */
export const countWithMore = (shown: number, isMore: boolean): string => `${number(shown)}${isMore ? '+' : ''}`;

interface DecisionListProps<T> {
  id: string;
  title: string;
  query: PagedRows<T>;
  /** Selects and sorts the rows to show. */
  shown: (items: readonly T[]) => readonly T[];
  /** Shown instead of an empty list. */
  none: string;
  /** A control beside the title. */
  choice?: ComponentChildren;
  keyOf: (item: T) => string;
  children: (item: T) => ComponentChildren;
}

/** The first rows, with a button for all rows and for the next page. */
const FoldedList = <T,>({
  rows,
  query,
  keyOf,
  children,
}: Pick<DecisionListProps<T>, 'query' | 'keyOf' | 'children'> & { rows: readonly T[] }) => {
  const [isWhole, setWhole] = useState(false);
  const isFolded = !isWhole && rows.length > FOLDED_ROWS + 1;
  return (
    <>
      <ul class="rows">
        {(isFolded ? rows.slice(0, FOLDED_ROWS) : rows).map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      {isFolded ? (
        <div class="next-page">
          <button type="button" class="button quiet" onClick={() => setWhole(true)}>
            {query.data.value?.next_cursor === null ? t.allOf(rows.length) : common.more}
          </button>
        </div>
      ) : (
        <NextPage query={query} />
      )}
    </>
  );
};

/** A list of open work for the office. */
export const DecisionList = <T,>({ id, title, query, shown, none, choice, keyOf, children }: DecisionListProps<T>) => (
  <section class="card waits" aria-labelledby={id}>
    <header>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {choice}
    </header>
    <QueryView query={query} rows={2}>
      {({ items, next_cursor }) => {
        const rows = shown(items);
        return rows.length === 0 && next_cursor === null ? (
          <p class="none muted">{none}</p>
        ) : (
          <FoldedList rows={rows} query={query} keyOf={keyOf}>
            {children}
          </FoldedList>
        );
      }}
    </QueryView>
  </section>
);

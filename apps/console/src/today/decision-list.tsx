import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { common } from '../shared/common-texts.ts';
import { number } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { NextPage } from '../shared/parts/next-page.tsx';
import type { ListedRows } from '../shared/row-query.ts';
import { t } from './today-texts.ts';

/** Rows of a list that are seen at once. */
const FOLDED = 6;

/** How many there are; with a plus where there are more than were asked for. */
export const countOf = (shown: number, isMore: boolean): string => `${number(shown)}${isMore ? '+' : ''}`;

interface WaitsProps<T> {
  id: string;
  title: string;
  of: ListedRows<T>;
  /** Of what was answered, what is shown and in which order. */
  shown: (items: readonly T[]) => readonly T[];
  /** Said when there is nothing. */
  none: string;
  /** Beside the title. */
  choice?: ComponentChildren;
  keyOf: (item: T) => string;
  children: (item: T) => ComponentChildren;
}

/** The first rows; all of them are a tap away, and what the API has beyond. */
const List = <T,>({
  rows,
  of,
  keyOf,
  children,
}: Pick<WaitsProps<T>, 'of' | 'keyOf' | 'children'> & { rows: readonly T[] }) => {
  const [isWhole, setWhole] = useState(false);
  const isFolded = !isWhole && rows.length > FOLDED + 1;
  return (
    <>
      <ul class="rows">
        {(isFolded ? rows.slice(0, FOLDED) : rows).map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      {isFolded ? (
        <div class="next-page">
          <button type="button" class="button quiet" onClick={() => setWhole(true)}>
            {of.data.value?.next_cursor === null ? t.allOf(rows.length) : common.more}
          </button>
        </div>
      ) : (
        <NextPage of={of} />
      )}
    </>
  );
};

/** A list of what waits for the office. */
export const DecisionList = <T,>({ id, title, of, shown, none, choice, keyOf, children }: WaitsProps<T>) => (
  <section class="card waits" aria-labelledby={id}>
    <header>
      <h2 id={id} tabIndex={-1}>
        {title}
      </h2>
      {choice}
    </header>
    <QueryView of={of} rows={2}>
      {({ items, next_cursor }) => {
        const rows = shown(items);
        return rows.length === 0 && next_cursor === null ? (
          <p class="none muted">{none}</p>
        ) : (
          <List rows={rows} of={of} keyOf={keyOf}>
            {children}
          </List>
        );
      }}
    </QueryView>
  </section>
);

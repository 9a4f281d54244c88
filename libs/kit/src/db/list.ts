import type { CursorKey } from '../call/cursor.ts';
import { type Statement, statement } from './statement.ts';

/** A sortable expression; the type lets the cursor's value be compared in Postgres. Nulls need a `coalesce`. */
interface Sort {
  by: string;
  type: string;
}

export interface ListSpec<S extends string> {
  columns: string;
  from: string;
  /** Unique tie-breaker, `id` by default. */
  id?: Sort;
  sorts: Readonly<Record<S, Sort>>;
  /** Rows may be large: a page ends before it outgrows one message, and goes on by its cursor. */
  bulky?: boolean;
}

/** One condition with `?` for each value; the text is code, values are parameters. */
export type Filter = readonly [condition: string, ...values: unknown[]];

/** The time of the request as `clock.now`, for `joins`: as a filter it would end every cursor with its request. */
export const atTime = (now: Date): Filter => ['cross join (select ?::timestamptz as now) as clock', now.toISOString()];

export interface ListQuery<S extends string> {
  filters: readonly Filter[];
  /** Added to `from`; for joins that depend on who asks. */
  joins: readonly Filter[];
  sort: S | `-${S}`;
  after: CursorKey | null;
  limit: number;
}

/** The last two columns of every list row; the cursor continues after them. */
export interface Sorted {
  sort_key: string | number | null;
  sort_id: string;
}

/**
 * Keyset pagination as one statement: rows strictly after the cursor in (sort, id), one more than asked
 * for. Pages neither skip nor repeat a row, whatever is inserted meanwhile. Texts are few (one for each
 * combination of filters and sort), so their statements are kept.
 */
export const keysetList = <R, S extends string>(spec: ListSpec<S>) => {
  const known = new Map<string, Statement<R & Sorted>>();
  const id = spec.id ?? { by: 'id', type: 'uuid' };
  return ({
    filters,
    joins,
    sort,
    after,
    limit,
  }: ListQuery<S>): { statement: Statement<R & Sorted>; params: unknown[] } => {
    const params: unknown[] = [];
    const bind = (value: unknown): string => `$${params.push(value)}`;
    const descending = sort.startsWith('-');
    const { by, type } = spec.sorts[(descending ? sort.slice(1) : sort) as S];
    const bound = ([condition, ...values]: Filter): string => {
      let index = 0;
      return condition.replaceAll('?', () => bind(values[index++]));
    };
    const from = [spec.from, ...joins.map(bound)].join(' ');
    const where = filters.map(bound);
    if (after !== null) {
      where.push(
        `(${by}, ${id.by}) ${descending ? '<' : '>'} (${bind(after[0])}::${type}, ${bind(after[1])}::${id.type})`,
      );
    }
    const direction = descending ? 'desc' : 'asc';
    const text = `select ${spec.columns}, (${by})::text as sort_key, ${id.by} as sort_id from ${from}
      where ${where.join(' and ')} order by ${by} ${direction}, ${id.by} ${direction} limit ${bind(limit + 1)}`;
    let found = known.get(text);
    if (found === undefined) known.set(text, (found = statement<R & Sorted>(text)));
    return { statement: found, params };
  };
};

/** A `like` pattern that finds the keyword literally anywhere; compare with a lower-cased column. */
export const containsPattern = (keyword: string): string => `%${keyword.replaceAll(/[\\%_]/g, '\\$&')}%`;

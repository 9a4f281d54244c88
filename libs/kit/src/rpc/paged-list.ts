import {
  activeConditions,
  type Condition,
  type ConditionValues,
  keysetList,
  type ListSpec,
} from '../db/keyset-list.ts';
import type { RowOf, Shape } from '../db/columns.ts';
import type { Session } from './session.ts';

export interface Page<R> {
  items: R[];
  next_cursor: string | null;
}

/** Half of the largest message of the bus. */
const MAX_PAGE_BYTES = 4_000_000;

/** The first rows that fit into one answer: at least one row. */
const rowsThatFit = <R>(rows: readonly R[]): R[] => {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return rows.slice(0, end < 0 ? rows.length : end);
};

/** Sets the sort columns to undefined, so that JSON leaves them out. Deleting them would make the JSON slower. */
const hideKeys = (rows: readonly { sort_key?: string | undefined; sort_id?: string | undefined }[]): void => {
  for (const row of rows) {
    row.sort_key = undefined;
    row.sort_id = undefined;
  }
};

interface PageQuery<O extends string> {
  limit: number;
  cursor?: string | undefined;
  sort: O | `-${O}`;
}

/**
 * Allows only conditions that the list has, since any other would filter nothing. The whole query of a call may be
 * passed: limit, cursor and sort are allowed, too.
 */
type KnownConditions<G, C> = G & { readonly [K in Exclude<keyof G, keyof C | keyof PageQuery<string>>]: never };

/**
 * Defines a list. The function takes conditions, sort, cursor and limit, and returns one page of the caller's org. A
 * cursor is valid only for the same call, org, conditions and sort; any other is refused with 400.
 */
export const pagedList = <
  const S extends Shape,
  O extends string,
  W extends Record<string, Condition> = {},
  J extends Record<string, Condition> = {},
>(
  spec: ListSpec<S, O, W, J>,
) => {
  const list = keysetList(spec);
  return async <const G extends ConditionValues<W> = {}>(
    session: Session,
    query: PageQuery<O>,
    where?: KnownConditions<G, W>,
    joins: ConditionValues<J> = {},
  ): Promise<Page<RowOf<S>>> => {
    const conditions = activeConditions(spec.where ?? {}, where ?? {});
    const name = JSON.stringify([query.sort, conditions]);
    const after = session.readCursor(query.cursor, name);
    const { statement, params } = list({
      where: [[`${spec.org ?? 'org_id'} = ?`, [session.org_id]], ...conditions],
      joins: activeConditions(spec.joins ?? {}, joins),
      sort: query.sort,
      after,
      limit: query.limit,
    });
    const rows = await session.query(statement, ...params);
    const page = rows.slice(0, query.limit);
    const items = spec.bulky === true ? rowsThatFit(page) : page;
    const last = rows.length > items.length ? items.at(-1) : undefined;
    const next_cursor = last === undefined ? null : session.signCursor([last.sort_key, last.sort_id], name);
    hideKeys(items);
    return { items, next_cursor };
  };
};

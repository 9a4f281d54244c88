import { notNull, p, type RowOf, type Shape } from './columns.ts';
import { declareStatements, runtimeStatement, type Statement } from './statement.ts';

/**
 * A sortable expression. Postgres compares the cursor's value as `type`. An expression that may be null needs a
 * `coalesce`.
 */
interface Sort {
  by: string;
  type: string;
}

/**
 * SQL that is added if its value is given, with `?` for each value. No `?`: the value is `true`. Several: the value is
 * an array of them. The text is code, values are parameters.
 */
export type Condition = string | { text: string; value: (given: string) => unknown } | Among;

/**
 * A condition that matches any of several values. For a single value the text `one` is used, which indexes support
 * better.
 */
interface Among {
  text: string;
  one: string;
}

/** The sort value and the id of the last row of a page. */
export type CursorKey = readonly (string | number | null)[];

/** The values of a list's conditions in a call, by name. `undefined` and `false` leave a condition out. */
export type ConditionValues<C> = { readonly [K in keyof C]?: unknown };

export interface ListSpec<
  S extends Shape,
  O extends string,
  W extends Record<string, Condition>,
  J extends Record<string, Condition>,
> {
  columns: string;
  shape: S;
  from: string;
  /** The column with the org. A list always belongs to one org. */
  org?: string;
  /** Unique tie-breaker, `id` by default. */
  id?: Sort;
  sorts: Readonly<Record<O, Sort>>;
  where?: W;
  /**
   * Added to `from`. Conditions that change between pages belong here: a cursor fits only the `where` that it was
   * created with.
   */
  joins?: J;
  /** Rows may be large: a page ends before it exceeds the size of one message and continues by its cursor. */
  bulky?: boolean;
}

/** A `like` pattern that matches the keyword literally at any position. */
const pattern = (keyword: string): string => `%${keyword.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Matches a case-insensitive substring of a lower-case expression. An empty keyword matches everything. */
export const containsKeyword = (expression: string): Condition => ({
  text: `${expression} like lower(?)`,
  value: (keyword) => (keyword === '' ? undefined : pattern(keyword)),
});

/** Matches any of the values of a filter. `within` wraps the comparison in a larger expression. */
export const equalsAnyOf = (expression: string, within = (it: string): string => it): Condition => ({
  text: within(`${expression} = any(?)`),
  one: within(`${expression} = ?`),
});

/** The filters that the fields of a record declare, as conditions on the columns of the table `alias`. */
export const fieldFilters = <K extends string>(filters: Readonly<Record<K, unknown>>, alias: string) =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, equalsAnyOf(`${alias}.${name}`)])) as Record<
    K,
    Condition
  >;

/** A sort column with a default for null. Under row-level security `coalesce` cannot use an index; `case` can. */
export const indexedDefault = (column: string, otherwise: string): string =>
  `(case when ${column} is null then '${otherwise}' else ${column} end)`;

/** The time of the request as `clock.now`, for `joins`. */
export const REQUEST_CLOCK: Condition = 'cross join (select ?::timestamptz as now) as clock';

type Bound = readonly [text: string, values: readonly unknown[]];

const isAmong = (condition: Condition): condition is Among => typeof condition !== 'string' && 'one' in condition;

const boundAmong = ({ text, one }: Among, raw: unknown): Bound[] => {
  if (raw === undefined) return [];
  const values: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  return [values.length === 1 ? [one, values] : [text, [values]]];
};

/** The conditions that have a value, in the order of the list's declaration. */
export const activeConditions = (
  conditions: Record<string, Condition>,
  given: ConditionValues<Record<string, Condition>>,
): Bound[] =>
  Object.entries(conditions).flatMap(([name, condition]): Bound[] => {
    const raw = given[name];
    if (isAmong(condition)) return boundAmong(condition, raw);
    const { text, value } = typeof condition === 'string' ? { text: condition, value: undefined } : condition;
    const it = value === undefined || typeof raw !== 'string' ? raw : value(raw);
    if (it === undefined || it === false) return [];
    const parameters = text.split('?').length - 1;
    return [[text, parameters === 0 ? [] : parameters === 1 ? [it] : (it as unknown[])]];
  });

const isColumn = (expression: string): boolean => /^[\w.]+$/.test(expression);

/** The last two columns of each list row. The cursor continues after them. */
const CURSOR = { sort_key: notNull(p.text()), sort_id: notNull(p.text()) };

export interface ListQuery<O extends string> {
  where: readonly Bound[];
  joins: readonly Bound[];
  sort: O | `-${O}`;
  after: CursorKey | null;
  limit: number;
}

/**
 * Keyset pagination in one statement: rows after the cursor in (sort, id), one more than the limit. Pages neither skip
 * nor repeat a row when rows are inserted meanwhile. There are few statement texts (one for each combination of
 * conditions and sort), so the statements are cached.
 */
export const keysetList = <
  S extends Shape,
  O extends string,
  W extends Record<string, Condition>,
  J extends Record<string, Condition>,
>(
  spec: ListSpec<S, O, W, J>,
) => {
  type R = RowOf<S> & RowOf<typeof CURSOR>;
  const statements = new Map<string, Statement<R>>();
  const id = spec.id ?? { by: 'id', type: 'uuid' };
  const make = ({ where, joins, sort, after, limit }: ListQuery<O>): { statement: Statement<R>; params: unknown[] } => {
    const params: unknown[] = [];
    const bind = (value: unknown): string => `$${params.push(value)}`;
    const descending = sort.startsWith('-');
    const { by, type } = spec.sorts[(descending ? sort.slice(1) : sort) as O];
    const bound = ([text, values]: Bound): string => {
      let index = 0;
      return text.replaceAll('?', () => bind(values[index++]));
    };
    const from = [spec.from, ...joins.map(bound)].join(' ');
    const conditions = where.map(bound);
    if (after !== null) {
      const [key, last] = [bind(after[0]), bind(after[1])];
      const sign = descending ? '<' : '>';
      conditions.push(`(${by}, ${id.by}) ${sign} (${key}::${type}, ${last}::${id.type})`);
      // A composed id is not indexed; under row-level security the row comparison then cannot use an index either.
      if (!isColumn(id.by)) conditions.push(`${by} ${sign}= ${key}::${type}`);
    }
    const direction = descending ? 'desc' : 'asc';
    const text = `select ${spec.columns}, (${by})::text as sort_key, (${id.by})::text as sort_id from ${from}
      where ${conditions.join(' and ')} order by ${by} ${direction}, ${id.by} ${direction} limit ${bind(limit + 1)}`;
    let found = statements.get(text);
    if (found === undefined) statements.set(text, (found = runtimeStatement<R>(text, { ...spec.shape, ...CURSOR })));
    return { statement: found, params };
  };
  declareStatements(() => examples(spec, make));
  const conditions = [...Object.keys(spec.where ?? {}), ...Object.keys(spec.joins ?? {})];
  lists.push({ from: spec.from, conditions, statementsFor: (given) => statementsWith(spec, make, given) });
  return make;
};

/** A list of a loaded module. */
interface DeclaredList {
  from: string;
  /** The names of its conditions, including joins. */
  conditions: readonly string[];
  /** Its statements with these conditions: by each sort in both directions, the first and the next page. */
  statementsFor: (given: readonly string[]) => Statement[];
}

const lists: DeclaredList[] = [];
/** Every list of the loaded modules, for the test of their query plans. */
export const declaredLists = (): readonly DeclaredList[] => lists;

/** The conditions as written, for several values or for one value if that has another text. */
const unbound = (conditions: Record<string, Condition> = {}, values: 'several' | 'one' = 'several'): Bound[] =>
  Object.values(conditions).map((it) => [
    typeof it === 'string' ? it : isAmong(it) && values === 'one' ? it.one : it.text,
    [],
  ]);
const ofOrg = (org = 'org_id'): Bound => [`${org} = ?`, []];

const statementsWith = <S extends Shape, O extends string>(
  spec: ListSpec<S, O, Record<string, Condition>, Record<string, Condition>>,
  make: (query: ListQuery<O>) => { statement: Statement },
  given: readonly string[],
): Statement[] => {
  const some = (conditions: Record<string, Condition> = {}, values: 'several' | 'one'): Bound[] =>
    unbound(Object.fromEntries(Object.entries(conditions).filter(([name]) => given.includes(name))), values);
  const hasAmong = given.some((name) => isAmong(spec.where?.[name] ?? ''));
  const queries = (hasAmong ? (['one', 'several'] as const) : (['several'] as const)).map((values) => ({
    where: [ofOrg(spec.org), ...some(spec.where, values)],
    joins: some(spec.joins, values),
    limit: 1,
  }));
  return (Object.keys(spec.sorts) as O[])
    .flatMap((sort): (O | `-${O}`)[] => [sort, `-${sort}`])
    .flatMap((sort) =>
      queries.flatMap((query) => [null, ['', '']].map((after) => make({ ...query, sort, after }).statement)),
    );
};

/** The statements with all conditions at once, for each sort, after a cursor. */
const examples = <S extends Shape, O extends string>(
  spec: ListSpec<S, O, Record<string, Condition>, Record<string, Condition>>,
  make: (query: ListQuery<O>) => { statement: Statement },
): Statement[] => {
  const where = [ofOrg(spec.org), ...unbound(spec.where)];
  return (Object.keys(spec.sorts) as O[]).map(
    (sort) => make({ where, joins: unbound(spec.joins), sort, after: ['', ''], limit: 1 }).statement,
  );
};

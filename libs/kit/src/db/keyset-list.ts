import { always, p, type RowOf, type Shape } from './columns.ts';
import { declareStatements, runtimeStatement, type Statement } from './statement.ts';

/** A sortable expression; the type lets the cursor's value be compared in Postgres. Nulls need a `coalesce`. */
interface Sort {
  by: string;
  type: string;
}

/**
 * SQL that is added when its value is given, with `?` for each value: none (the value is `true` then), one, or
 * several (an array of them). The text is code, values are parameters.
 */
export type Condition = string | { text: string; value: (given: string) => unknown } | Among;

/** A condition on one of several values; where only one is given it is looked for as such, as indexes like it best. */
interface Among {
  text: string;
  one: string;
}

/** The sort value and the id of the last row of a page. */
export type CursorKey = readonly (string | number | null)[];

/** What a call gives for the conditions of a list, by name; `undefined` and `false` leave one out. */
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
  /** The column with the org; every list is of one. */
  org?: string;
  /** Unique tie-breaker, `id` by default. */
  id?: Sort;
  sorts: Readonly<Record<O, Sort>>;
  where?: W;
  /** Added to `from`. What differs from page to page goes here: a cursor fits only the `where` it came from. */
  joins?: J;
  /** Rows may be large: a page ends before it outgrows one message, and goes on by its cursor. */
  bulky?: boolean;
}

/** A `like` pattern that finds the keyword literally anywhere. */
const pattern = (keyword: string): string => `%${keyword.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Case-insensitive part of a lower-cased expression; an empty keyword finds everything. */
export const containing = (expression: string): Condition => ({
  text: `${expression} like lower(?)`,
  value: (keyword) => (keyword === '' ? undefined : pattern(keyword)),
});

/** One of the values that a filter names; `within` is what stands around that. */
export const oneOfSeveral = (expression: string, within = (it: string): string => it): Condition => ({
  text: within(`${expression} = any(?)`),
  one: within(`${expression} = ?`),
});

/** The filters that the fields of a record declare, as conditions on columns of the table `alias`. */
export const fieldFilters = <K extends string>(filters: Readonly<Record<K, unknown>>, alias: string) =>
  Object.fromEntries(Object.keys(filters).map((name) => [name, oneOfSeveral(`${alias}.${name}`)])) as Record<
    K,
    Condition
  >;

/** A sort's column, or what stands for null. Under row-level security, `coalesce` is no way into an index; this is. */
export const indexedDefault = (column: string, otherwise: string): string =>
  `(case when ${column} is null then '${otherwise}' else ${column} end)`;

/** The time of the request as `clock.now`, for `joins`. */
export const REQUEST_CLOCK: Condition = 'cross join (select ?::timestamptz as now) as clock';

type Bound = readonly [text: string, values: readonly unknown[]];

const isAmong = (condition: Condition): condition is Among => typeof condition !== 'string' && 'one' in condition;

const amongOf = ({ text, one }: Among, raw: unknown): Bound[] => {
  if (raw === undefined) return [];
  const values: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  return [values.length === 1 ? [one, values] : [text, [values]]];
};

/** The conditions that are given a value, in the order of the list's declaration. */
export const activeConditions = (
  conditions: Record<string, Condition>,
  given: ConditionValues<Record<string, Condition>>,
): Bound[] =>
  Object.entries(conditions).flatMap(([name, condition]): Bound[] => {
    const raw = given[name];
    if (isAmong(condition)) return amongOf(condition, raw);
    const { text, value } = typeof condition === 'string' ? { text: condition, value: undefined } : condition;
    const it = value === undefined || typeof raw !== 'string' ? raw : value(raw);
    if (it === undefined || it === false) return [];
    const places = text.split('?').length - 1;
    return [[text, places === 0 ? [] : places === 1 ? [it] : (it as unknown[])]];
  });

const isColumn = (expression: string): boolean => /^[\w.]+$/.test(expression);

/** The last two columns of every list row; the cursor continues after them. */
const CURSOR = { sort_key: always(p.text()), sort_id: always(p.text()) };

export interface ListQuery<O extends string> {
  where: readonly Bound[];
  joins: readonly Bound[];
  sort: O | `-${O}`;
  after: CursorKey | null;
  limit: number;
}

/**
 * Keyset pagination as one statement: rows strictly after the cursor in (sort, id), one more than asked
 * for. Pages neither skip nor repeat a row, whatever is inserted meanwhile. Texts are few (one for each
 * combination of conditions and sort), so their statements are kept.
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
  const known = new Map<string, Statement<R>>();
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
      // An id that is put together is in no index, and under row-level security the two are then no way into one.
      if (!isColumn(id.by)) conditions.push(`${by} ${sign}= ${key}::${type}`);
    }
    const direction = descending ? 'desc' : 'asc';
    const text = `select ${spec.columns}, (${by})::text as sort_key, (${id.by})::text as sort_id from ${from}
      where ${conditions.join(' and ')} order by ${by} ${direction}, ${id.by} ${direction} limit ${bind(limit + 1)}`;
    let found = known.get(text);
    if (found === undefined) known.set(text, (found = runtimeStatement<R>(text, { ...spec.shape, ...CURSOR })));
    return { statement: found, params };
  };
  declareStatements(() => examples(spec, make));
  const conditions = [...Object.keys(spec.where ?? {}), ...Object.keys(spec.joins ?? {})];
  lists.push({ from: spec.from, conditions, sent: (given) => sent(spec, make, given) });
  return make;
};

/** A list of a module that is loaded. */
interface DeclaredList {
  from: string;
  /** The names of what may be given, joins too. */
  conditions: readonly string[];
  /** Its statements when these conditions are given: by each sort, up and down, the first page and the next one. */
  sent: (given: readonly string[]) => Statement[];
}

const lists: DeclaredList[] = [];
/** Every list of the modules that are loaded, for the test of their plans. */
export const declaredLists = (): readonly DeclaredList[] => lists;

/** As they are written: with several values, or with one where that is another text. */
const unbound = (conditions: Record<string, Condition> = {}, values: 'several' | 'one' = 'several'): Bound[] =>
  Object.values(conditions).map((it) => [
    typeof it === 'string' ? it : isAmong(it) && values === 'one' ? it.one : it.text,
    [],
  ]);
const ofOrg = (org = 'org_id'): Bound => [`${org} = ?`, []];

const sent = <S extends Shape, O extends string>(
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

/** All conditions of a list at once, by each of its sorts, after a cursor. */
const examples = <S extends Shape, O extends string>(
  spec: ListSpec<S, O, Record<string, Condition>, Record<string, Condition>>,
  make: (query: ListQuery<O>) => { statement: Statement },
): Statement[] => {
  const where = [ofOrg(spec.org), ...unbound(spec.where)];
  return (Object.keys(spec.sorts) as O[]).map(
    (sort) => make({ where, joins: unbound(spec.joins), sort, after: ['', ''], limit: 1 }).statement,
  );
};

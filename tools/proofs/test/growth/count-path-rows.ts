import type pg from 'pg';
import type { AccessPath } from './scans.ts';

interface Column {
  name: string;
  isArray: boolean;
}

/**
 * Returns a function that counts the most rows a path into a table can find: rows that are equal in all columns that
 * the index compares with one value. Ranges do not bound the count, because a caller may ask for the whole range.
 */
export const rowCounter = (client: pg.Client, schema: string) => {
  const counts = new Map<string, Promise<number>>();
  const columns = new Map<string, Promise<Column[]>>();
  const columnsOf = (table: string): Promise<Column[]> => {
    const query =
      columns.get(table) ??
      client
        .query<Column>(
          `select a.attname as name, a.attndims > 0 as "isArray" from pg_attribute a
         where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
          [`${schema}.${table}`],
        )
        .then(({ rows }) => rows);
    columns.set(table, query);
    return query;
  };
  const predicateOf = async (index: string): Promise<string> => {
    const { rows } = await client.query<{ where: string | null }>(
      'select pg_get_expr(indpred, indrelid) as where from pg_index where indexrelid = $1::regclass',
      [`${schema}.${index}`],
    );
    return rows[0]?.where ?? 'true';
  };
  const count = async (table: string, { index, condition }: AccessPath): Promise<number> => {
    const existing = await columnsOf(table);
    const isIn = (name: string | undefined): boolean => existing.some((column) => column.name === name);
    const fixed = [...condition.matchAll(/\((\w+) = ('[^']*')::\w+\)/g)].filter(([, name]) => isIn(name));
    const isFixed = (name: string): boolean => fixed.some(([, it]) => it === name);
    const equal = [...condition.matchAll(/\((\w+) = /g)].flatMap(([, name = '']) =>
      isIn(name) && !isFixed(name) ? [name] : [],
    );
    const held = [...condition.matchAll(/\((\w+) @> /g)].flatMap(([, name = '']) =>
      existing.some((column) => column.name === name && column.isArray) ? [`unnest(${name}) as ${name}`] : [],
    );
    const from = [
      `${schema}.${table} as it`,
      ...held.map((it) => `lateral ${it.replace('unnest(', 'unnest(it.')}_element`),
    ].join(', ');
    const by = [...equal.map((it) => `it.${it}`), ...held.map((it) => `${it.split(' as ')[1]}_element`)];
    const where = [
      index === null ? 'true' : await predicateOf(index),
      ...fixed.map(([, name, value]) => `it.${name} = ${value}`),
    ];
    const { rows } = await client.query<{ most: number }>(
      `select coalesce(max(n), 0)::int as most from (
         select count(*) as n from ${from} where ${where.join(' and ')} ${by.length > 0 ? `group by ${by.join(', ')}` : ''}) as g`,
    );
    return rows[0]?.most ?? 0;
  };
  return (table: string, way: AccessPath): Promise<number> => {
    const key = `${table} ${way.index} ${[...way.condition.matchAll(/\((\w+) (?:=|@>) (?:'[^']*')?/g)].join()}`;
    const result = counts.get(key) ?? count(table, way);
    counts.set(key, result);
    return result;
  };
};

import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { withDatabase } from '../../operators/migrate/provision.ts';
import { describeStatement } from './describe-statement.ts';

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: withDatabase(inject('stack').adminUrl, 'postgres') });
  await client.connect();
  await client.query(`
    create temp table a (id uuid primary key, name text not null, note text);
    create temp table b (a_id uuid not null, n int not null);
    create temp view seen as select id, name from a`);
});
afterAll(() => client.end());

const nullable = async (text: string): Promise<Record<string, boolean>> => {
  const { columns } = await describeStatement(client, text);
  return Object.fromEntries(columns.map((column) => [column.name, column.nullable]));
};

it.each([
  ['columns of a table', 'select id, note from a', { id: false, note: true }],
  ['an inner join', 'select a.id, b.n from a join b on b.a_id = a.id', { id: false, n: false }],
  ['a left join', 'select a.id, b.n from a left join b on b.a_id = a.id', { id: false, n: true }],
  ['a right join', 'select a.id, b.n from a right join b on b.a_id = a.id', { id: true, n: false }],
  ['a full join', 'select a.id, b.n from a full join b on b.a_id = a.id', { id: true, n: true }],
  [
    'two tables twice',
    'select x.id, y.id as other from a x left join a y on y.name = x.name and y.note = x.note',
    { id: false, other: true },
  ],
  ['a left join in a subquery', 'select n from (select b.n from a left join b on b.a_id = a.id) as s', { n: true }],
  ['a subquery', 'select id from (select id, row_number() over () as r from a) as s where r = 1', { id: false }],
  ['expressions', 'select count(*) over () as n, lower(name) as low from a', { n: true, low: true }],
  ['a view', 'select id from seen', { id: true }],
  ['a union', 'select id from a union all select a_id from b', { id: true }],
  ['a returning clause', 'insert into a (id, name) values ($1, $2) returning id, note', { id: false, note: true }],
])('knows which columns of %s may be null', async (_case, text, expected) => {
  expect(await nullable(text)).toEqual(expected);
});

it('counts parameters, names types and rejects statements that do not fit the schema', async () => {
  const { parameters, columns } = await describeStatement(client, 'select n from b where a_id = $1 and n > $2');
  expect(parameters).toBe(2);
  expect(columns.map(({ type }) => type)).toEqual([pg.types.builtins.INT4]);
  await expect(describeStatement(client, 'select m from b')).rejects.toThrow('column "m" does not exist');
  await expect(describeStatement(client, 'select n from b where a_id = $1')).resolves.toMatchObject({ parameters: 1 });
});

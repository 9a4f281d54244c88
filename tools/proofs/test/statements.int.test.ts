import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { typeOf } from '../../../libs/kit/src/db/columns.ts';
import { SERVICES } from '@teaching/local/secrets.ts';
import { databaseFault } from '../../../libs/kit/src/index.ts';
import { type Declared, declaredIn } from './catalogue.ts';
import { describeStatement, plannedNodes } from './describe-statement.ts';
import { copyDatabase } from './fixture.ts';

/** SQLSTATE of what the request role may not do. */
const NOT_ALLOWED = '42501';

/** The number of parameters the compiler counts in a text. */
const counted = (text: string): number => Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

let url: string;
let kit: Declared;
beforeAll(async () => {
  url = await copyDatabase(inject('stack').adminUrl);
  kit = await declaredIn('libs/kit');
});

/** The kit's own are looked at in a schema that has all of its tables. */
describe.each([...SERVICES, 'kit'] as const)('the statements and tables of %s', (room) => {
  const service = room === 'kit' ? 'stats' : room;
  let client: pg.Client;
  let declared: Declared;
  let typeIds: Map<string, number>;
  const typeNames = (): Map<number, string> => new Map([...typeIds].map(([name, id]) => [id, name]));

  beforeAll(async () => {
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set search_path to ${service}, public`);
    const all = room === 'kit' ? kit : await declaredIn('libs/kit', `services/${room}`);
    const common = new Set(room === 'kit' ? [] : kit.statements.map(({ name }) => name));
    declared = { ...all, statements: all.statements.filter(({ name }) => !common.has(name)) };
    const { rows } = await client.query<{ name: string; id: number }>(
      'select t.typname::text as name, t.oid::int as id from pg_type t',
    );
    typeIds = new Map(rows.map(({ name, id }) => [name, id]));
  });
  afterAll(() => client.end());

  const idsOf = async (types: readonly string[]): Promise<Map<string, number>> => {
    const { rows } = await client.query<{ type: string; id: number }>(
      'select type, type::regtype::oid::int as id from unnest($1::text[]) as type',
      [[...new Set(types)]],
    );
    return new Map(rows.map(({ type, id }) => [type, id]));
  };

  it('are what Postgres says they are: columns, types, nulls and parameters', async () => {
    const { statements } = declared;
    const ids = await idsOf(statements.flatMap(({ shape }) => Object.values(shape).map(typeOf)));
    const names = typeNames();
    const problems: string[] = [];
    for (const { text, shape } of statements) {
      const found = await describeStatement(client, text).catch((error: Error) => error);
      if (found instanceof Error) {
        problems.push(`${found.message}\n    in: ${oneLine(text)}`);
        continue;
      }
      const claimed = Object.entries(shape).map(([name, column]) => {
        const type = names.get(ids.get(typeOf(column)) ?? 0) ?? 'unknown';
        return `${name} ${type}${column.declared.nullable === true ? ' null' : ''}`;
      });
      const told = found.columns.map(({ name, type, nullable, isColumn }) => {
        const isCertain = !isColumn && shape[name]?.declared.notNull === true;
        return `${name} ${names.get(type)}${nullable && !isCertain ? ' null' : ''}`;
      });
      const different = [
        ...told.filter((it) => !claimed.includes(it)).map((it) => `Postgres: ${it}`),
        ...claimed.filter((it) => !told.includes(it)).map((it) => `declared: ${it}`),
        ...(found.parameters === counted(text) ? [] : [`Postgres takes ${found.parameters} parameters`]),
      ];
      if (different.length > 0) problems.push(`${different.join('\n    ')}\n    in: ${oneLine(text)}`);
    }
    expect(problems.join('\n')).toBe('');
    expect(statements.length).toBeGreaterThan(10);
  });

  it('have every column of the migrated schema, with its type, nulls and key', async () => {
    const { tables } = declared;
    const formatted = async (type: string): Promise<string> => {
      const { rows } = await client
        .query<{ type: string }>(
          // Through a column: that is where a type's modifiers are kept.
          `create temp table t_of (it ${type}) on commit drop; select format_type(atttypid, atttypmod) as type
         from pg_attribute where attrelid = 't_of'::regclass and attname = 'it'`,
        )
        .then((results) => (results as unknown as { rows: { type: string }[] }[])[1] ?? { rows: [] });
      return rows[0]?.type ?? '';
    };
    const { rows } = await client.query<{ line: string }>(
      `select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
         case when not a.attnotnull then 'null' end, case when a.attnum = any (k.conkey) then 'key' end,
         case when a.attgenerated <> '' or a.attidentity <> '' then 'made' end) as line
       from pg_attribute a
       join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
       left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
       where c.relnamespace = $1::regnamespace and a.attnum > 0 and not a.attisdropped and c.relname <> 'schema_migration'`,
      [service],
    );
    const isOfKit = (name: string): boolean => kit.tables.some((table) => table.name === name);
    const tableOf = (line: string): string => line.slice(0, line.indexOf(' '));
    const declaredColumns: string[] = [];
    const there = new Set(rows.map(({ line }) => tableOf(line)));
    for (const { name, allColumns } of tables) {
      // Not every service has all tables that the kit knows.
      if (room !== 'kit' && !there.has(name) && isOfKit(name)) continue;
      for (const [column, it] of Object.entries(allColumns)) {
        const { nullable, primary, persist } = it.declared;
        const type = await formatted(typeOf(it));
        declaredColumns.push(
          [name, column, type, nullable && 'null', primary && 'key', persist === false && 'made']
            .filter(Boolean)
            .join(' '),
        );
      }
    }
    // The schema that the kit's own are looked at in has tables of its service, too; those are the service's to declare.
    const wanted = rows.map(({ line }) => line).filter((line) => room !== 'kit' || isOfKit(tableOf(line)));
    expect(declaredColumns.toSorted()).toEqual(wanted.toSorted());
  });

  /**
   * When a statement compares the org of a table with that of the rows it is given, row-level security lets the planner
   * filter those rows by the org, too, and expect one of them: then it goes through all of them for each row it finds.
   */
  it('do not let row-level security filter the rows that are given', async () => {
    const changing = declared.statements.filter(({ text }) =>
      /^\s*(update|delete)\b.*jsonb?_populate_recordset/s.test(text),
    );
    const filtered: string[] = [];
    await client.query(`set role ${service}_app; set app.org_id to '00000000-0000-7000-8000-000000000001'`);
    for (const { text } of changing) {
      const nodes = await plannedNodes(client, text).catch((error: unknown) => {
        if (databaseFault(error)?.code === NOT_ALLOWED) return [];
        throw error;
      });
      if (nodes.some((node) => node['Node Type'] === 'Function Scan' && node.Filter !== undefined)) filtered.push(text);
    }
    await client.query('reset role; reset app.org_id');
    expect(filtered).toEqual([]);
  });
});

it('what only grows is not sampled every few seconds while it is young', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select relnamespace::regnamespace || '.' || relname as name from pg_class
     where relname in ('log_entry', 'log_batch', 'clazz_audit_log') and relkind = 'r'
       and not coalesce(reloptions @> array['autovacuum_analyze_threshold=20000'], false)`,
  );
  await client.end();
  expect(rows).toEqual([]);
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { typeOf } from '../../../libs/kit/src/db/columns.ts';
import { SERVICES } from '@teaching/local/secrets.ts';
import { databaseFault } from '../../../libs/kit/src/index.ts';
import { type Declarations, loadDeclarations } from './catalogue.ts';
import { describeStatement, plannedNodes } from './describe-statement.ts';
import { copyDatabase } from './fixture.ts';

/** SQLSTATE of a missing privilege. */
const NOT_ALLOWED = '42501';

/** The number of parameters by the highest placeholder in a text. */
const parameterCount = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

let url: string;
let kit: Declarations;
beforeAll(async () => {
  url = await copyDatabase(inject('stack').adminUrl);
  kit = await loadDeclarations('libs/kit');
});

/** The kit's own statements are checked in the schema of the statistics, which has all of its tables. */
describe.each([...SERVICES, 'kit'] as const)('The statements and tables of %s', (owner) => {
  const service = owner === 'kit' ? 'stats' : owner;
  let client: pg.Client;
  let declared: Declarations;
  let typeIds: Map<string, number>;
  const typeNames = (): Map<number, string> => new Map([...typeIds].map(([name, id]) => [id, name]));

  beforeAll(async () => {
    client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`set search_path to ${service}, public`);
    const all = owner === 'kit' ? kit : await loadDeclarations('libs/kit', `services/${owner}`);
    const common = new Set(owner === 'kit' ? [] : kit.statements.map(({ name }) => name));
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

  it('match Postgres in columns, types, nulls and parameters', async () => {
    const { statements } = declared;
    const ids = await idsOf(statements.flatMap(({ shape }) => Object.values(shape).map(typeOf)));
    const names = typeNames();
    const problems: string[] = [];
    for (const { text, shape } of statements) {
      const described = await describeStatement(client, text).catch((error: Error) => error);
      if (described instanceof Error) {
        problems.push(`${described.message}\n    in: ${oneLine(text)}`);
        continue;
      }
      const declaredColumns = Object.entries(shape).map(([name, column]) => {
        const type = names.get(ids.get(typeOf(column)) ?? 0) ?? 'unknown';
        return `${name} ${type}${column.declared.nullable === true ? ' null' : ''}`;
      });
      const actualColumns = described.columns.map(({ name, type, nullable, isColumn }) => {
        const isCertain = !isColumn && shape[name]?.declared.notNull === true;
        return `${name} ${names.get(type)}${nullable && !isCertain ? ' null' : ''}`;
      });
      const different = [
        ...actualColumns.filter((column) => !declaredColumns.includes(column)).map((column) => `Postgres: ${column}`),
        ...declaredColumns.filter((column) => !actualColumns.includes(column)).map((column) => `declared: ${column}`),
        ...(described.parameters === parameterCount(text) ? [] : [`Postgres: ${described.parameters} parameters`]),
      ];
      if (different.length > 0) problems.push(`${different.join('\n    ')}\n    in: ${oneLine(text)}`);
    }
    expect(problems.join('\n')).toBe('');
    expect(statements.length).toBeGreaterThan(10);
  });

  it('declare every column of the migrated schema with its type, nulls and key', async () => {
    const { tables } = declared;
    const formatted = async (type: string): Promise<string> => {
      const { rows } = await client
        .query<{ type: string }>(
          // Read from a column, because only a column keeps the modifiers of a type.
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
    const existing = new Set(rows.map(({ line }) => tableOf(line)));
    for (const { name, allColumns } of tables) {
      // Not every service has all tables of the kit.
      if (owner !== 'kit' && !existing.has(name) && isOfKit(name)) continue;
      for (const [column, definition] of Object.entries(allColumns)) {
        const { nullable, primary, persist } = definition.declared;
        const type = await formatted(typeOf(definition));
        declaredColumns.push(
          [name, column, type, nullable && 'null', primary && 'key', persist === false && 'made']
            .filter(Boolean)
            .join(' '),
        );
      }
    }
    // The schema for the kit also has tables of the statistics, which the kit does not declare.
    const wanted = rows.map(({ line }) => line).filter((line) => owner !== 'kit' || isOfKit(tableOf(line)));
    expect(declaredColumns.toSorted()).toEqual(wanted.toSorted());
  });

  /**
   * A statement may compare the organization of a table with that of the given rows. Row-level security then lets the
   * planner filter the given rows too and expect only one of them, so it scans all of them for each found row.
   */
  it('are planned without a filter of row-level security on the given rows', async () => {
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

it('tables that only grow are not analyzed every few seconds while they are small', async () => {
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

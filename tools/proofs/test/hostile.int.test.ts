import { randomUUID } from 'node:crypto';
import { memberCalls } from '../../../libs/contracts/src/index.ts';
import { SERVICES, type ServiceName } from '@teaching/local/secrets.ts';
import { afterAll, assert, beforeAll, describe, expect, it, vi } from 'vitest';
import { waitUntilCaughtUp } from './wait-caught-up.ts';
import { contentsOf } from './contents.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { HostileSession } from './hostile/hostile-session.ts';
import {
  callableFunctions,
  readableWithoutOrganization,
  type OrgTable,
  orgTables,
  sharedKeys,
  sharedReferences,
  insertPlaceholders,
} from './hostile/tables.ts';
import { oneOfEach } from './one-of-each.ts';
import { POLL_OPTIONS } from './poll-options.ts';

/** SQLSTATE of a missing privilege or of a row-level security policy. */
const FORBIDDEN = '42501';

const OTHER = randomUUID();
const STUDENT = 'ann';
let fixture: Fixture;
let tables: OrgTable[];
const sessions = new Map<ServiceName, HostileSession>();
const session = (service: string): HostileSession => {
  const match = [...sessions].find(([name]) => name === service)?.[1];
  assert(match !== undefined);
  return match;
};
/** The same system with another organization as default. */
const of = (org: string): Fixture => ({ ...fixture, org, as: (person) => fixture.as({ org, ...person }) });

beforeAll(async () => {
  fixture = await startFixture();
  await oneOfEach(fixture);
  await oneOfEach(of(OTHER));
  await waitUntilCaughtUp(fixture);
  await insertPlaceholders(fixture, fixture.org);
  await insertPlaceholders(fixture, OTHER);
  await fixture.sql('analyze');
  tables = await orgTables(fixture);
  for (const service of SERVICES) {
    const one = new HostileSession(fixture, service, fixture.org);
    sessions.set(service, one);
    await one.begin();
  }
});
afterAll(async () => {
  for (const one of sessions.values()) await one.end();
  await fixture?.stop();
});

/** The outcome of the same attempt at each table, by table. */
const atEach = async (attempt: (table: OrgTable, by: HostileSession) => Promise<unknown>) => {
  const outcomes: [name: string, unknown][] = [];
  for (const table of tables) outcomes.push([table.name, await attempt(table, session(table.service))]);
  return Object.fromEntries(outcomes);
};
const each = (valueOf: (table: OrgTable) => unknown) =>
  Object.fromEntries(tables.map((table) => [table.name, valueOf(table)]));
const rowsOf = async (name: string, org: string): Promise<number> =>
  (await fixture.sql(`select from ${name} where org_id = $1`, [org])).length;

describe('A hostile statement in the session of one organization', () => {
  it('has rows of another organization in every table', async () => {
    expect(tables.length).toBeGreaterThan(70);
    for (const { name } of tables)
      for (const org of [fixture.org, OTHER]) expect(await rowsOf(name, org), name).toBeGreaterThan(0);
  });

  it('reads, counts, copies and locks only rows of its organization', async () => {
    const own = await atEach(({ name }) => rowsOf(name, fixture.org));
    const readable = each(({ name, reads }) => (reads ? own[name] : FORBIDDEN));
    expect(await atEach(({ name }, by) => by.tryStatement(`select from ${name}`))).toEqual(readable);
    expect(
      await atEach(({ name }, by) => by.tryStatement(`select from ${name} where org_id <> $1`, [fixture.org])),
    ).toEqual(each(({ reads }) => (reads ? 0 : FORBIDDEN)));
    expect(await atEach(({ name }, by) => by.tryStatement(`copy ${name} to stdout`))).toEqual(readable);
    const locked = await atEach(({ name }, by) => by.tryStatement(`select from ${name} for update`));
    for (const { name } of tables) expect([own[name], FORBIDDEN], name).toContain(locked[name]);
  });

  it('cannot change, delete or insert rows of another organization', async () => {
    const before = await contentsOf(fixture, OTHER);
    const none = each(() => expect.toBeOneOf([0, FORBIDDEN]));
    const other = [OTHER];
    expect(
      await atEach(({ name }, by) => by.execute(`update ${name} set org_id = org_id where org_id = $1`, other)),
    ).toEqual(none);
    expect(await atEach(({ name }, by) => by.execute(`delete from ${name} where org_id = $1`, other))).toEqual(none);
    const forbidden = each(() => FORBIDDEN);
    expect(await atEach(({ name }, by) => by.execute(`truncate ${name}`))).toEqual(forbidden);
    expect(await atEach(({ name }, by) => by.tryStatement(`update ${name} set org_id = $1`, other))).toEqual(forbidden);
    const insertCopy = async ({ name }: OrgTable, by: HostileSession) => {
      const columns = await fixture.sql<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
        [name],
      );
      const names = columns[0]?.names ?? '';
      const [row] = await fixture.sql(`select to_jsonb(t) as copy from ${name} t where org_id = $1 limit 1`, other);
      const insert = `insert into ${name} (${names}) select ${names} from jsonb_populate_record(null::${name}, $1)`;
      return by.tryStatement(insert, [JSON.stringify(row?.['copy'])]);
    };
    // A foreign key refuses the copied account before its organization is checked.
    expect(await atEach(insertCopy)).toEqual({ ...forbidden, 'clazz.hour_account': '23503' });
    expect(await contentsOf(fixture, OTHER)).toEqual(before);
  });

  it('conflicts with no key of another organization, and foreign keys include the organization', async () => {
    expect(await sharedKeys(fixture)).toEqual([]);
    expect(await sharedReferences(fixture)).toEqual([]);
  });

  it('otherwise sees only data that belongs to no organization', async () => {
    expect(await readableWithoutOrganization(fixture)).toEqual([
      { name: 'clazz.audit_break', columns: 'id at epoch no on_from why' },
      { name: 'clazz.organization_end', columns: 'id' },
      { name: 'clazz.schema_migration', columns: 'id name executed_at' },
      { name: 'course.organization_end', columns: 'id' },
      { name: 'course.schema_migration', columns: 'id name executed_at' },
      { name: 'package.log_head', columns: 'log epoch settled' },
      { name: 'package.organization_end', columns: 'id' },
      { name: 'package.schema_migration', columns: 'id name executed_at' },
      { name: 'stats.generation', columns: 'gen state started_at why' },
      { name: 'stats.organization_end', columns: 'id' },
      { name: 'stats.schema_migration', columns: 'id name executed_at' },
    ]);
    for (const service of SERVICES) {
      await fixture.sql(`insert into ${service}.organization_end (id) values ($1)`, [randomUUID()]);
      expect(await session(service).tryStatement('select id from organization_end'), service).toBe(0);
    }
    const [views] = await fixture.sql('select count(*)::int as n from clazz.relation where org_id = $1', [fixture.org]);
    expect(await session('clazz').tryStatement('select from relation')).toBe(views?.['n']);
    const estimated =
      "select from pg_stats where schemaname = $1 and tablename not in ('generation', 'schema_migration', 'log_head')";
    for (const service of SERVICES) expect(await session(service).tryStatement(estimated, [service]), service).toBe(0);
  });

  it('may call few functions, and only for its own organization', async () => {
    const lockFunctions = [
      'own_turn_shared(uuid,text)',
      'own_turn(uuid,text)',
      'rely_on(uuid,uuid[],uuid[])',
      'try_own_turn(uuid,text)',
    ];
    const own = [
      'clazz.strike_member(uuid,text)',
      'clazz.trail_progress(uuid)',
      'course.strike_member(uuid,text)',
      'package.log_state()',
    ];
    const all = [...own, ...SERVICES.flatMap((service) => lockFunctions.map((name) => `${service}.${name}`))];
    expect((await callableFunctions(fixture)).map(({ name }) => name)).toEqual(all.toSorted());
    for (const service of ['clazz', 'course']) {
      const by = session(service);
      const bind = (org: string) => by.firstValue("select set_config('app.org_id', $1, true)", [org]);
      const strikeOther = async () => Number(await by.firstValue('select strike_member($1, $2)', [OTHER, STUDENT]));
      await by.execute('begin');
      await bind(OTHER);
      await by.execute(
        `insert into log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
         values ('domain', gen_random_uuid(), $1, gen_random_uuid(), $2, $3, 'me', gen_random_uuid(), now(), $4)`,
        [OTHER, `${service}.member.changed.v1`, STUDENT, JSON.stringify({ members: [{ user_id: STUDENT }] })],
      );
      await bind(fixture.org);
      expect(await strikeOther(), service).toBe(0);
      await bind(OTHER);
      expect(await strikeOther(), service).toBeGreaterThan(0);
      await by.execute('rollback');
    }
    expect(await session('clazz').firstValue('select last from trail_progress($1)', [OTHER])).toBeNull();
    for (const service of SERVICES) {
      for (const name of ['own_turn', 'own_turn_shared', 'try_own_turn'])
        expect(await session(service).tryStatement(`select ${name}($1, 'members')`, [OTHER]), name).toBe(FORBIDDEN);
      expect(await session(service).tryStatement("select rely_on($1, '{}', '{}')", [OTHER])).toBe(FORBIDDEN);
    }
  });

  it('blocks no other organization with its locks', async () => {
    const { org } = fixture;
    const by = session('clazz');
    await by.execute('begin');
    for (const { name, service } of tables)
      if (service === 'clazz') {
        await by.execute('savepoint s');
        if (typeof (await by.execute(`select from ${name} for update`)) === 'string') await by.execute('rollback to s');
      }
    for (const lock of ['members', 'policy', 'holidays', 'references', `leave ${STUDENT}`])
      expect(await by.execute('select own_turn($1, $2)', [org, lock])).toBe(1);
    await by.execute("select own_turn($1, 'schedule ' || n) from generate_series(0, 63) as n", [org]);
    const stranger = randomUUID();
    await oneOfEach(of(stranger));
    const members = [{ user_id: STUDENT, role: 'STUDENT', display_name: 'Renamed' } as const];
    await of(OTHER).as({ role: 'SUPERVISOR' }).ok(memberCalls.putMembers, { body: { members } });
    const beside = new HostileSession(fixture, 'clazz', org);
    await beside.begin();
    expect(await beside.firstValue("select try_own_turn($1, 'members')", [org])).toBe(false);
    expect(await beside.tryStatement('select from lesson for update skip locked')).toBe(0);
    await beside.end();
    await by.execute('rollback');
  });

  it('cannot write log entries that block followers', async () => {
    const entry = {
      log: "'domain'",
      id: 'gen_random_uuid()',
      org_id: `'${fixture.org}'`,
      tx_id: 'gen_random_uuid()',
      type: "'clazz.it.happened.v1'",
      aggregate_id: "'a'",
      actor: "'me'",
      request_id: 'gen_random_uuid()',
      happened_at: 'now()',
      data: "'{}'",
    };
    const insert = (changed: Record<string, string>): string => {
      const columns = Object.entries({ ...entry, ...changed });
      return `insert into log_entry (${columns.map(([name]) => name).join()}) overriding system value values (${columns.map(([, value]) => value).join()})`;
    };
    for (const service of SERVICES) {
      const by = session(service);
      expect(await by.tryStatement(insert({})), service).toBe(1);
      expect(await by.tryStatement(insert({ seq: '1' }))).toBe(FORBIDDEN);
      expect(await by.tryStatement(insert({ seq: '99999999' }))).toBe(FORBIDDEN);
      const wrongs: Record<string, string>[] = [
        { log: "'nobody'" },
        { type: `'clazz.a.v1","id":"b'` },
        { type: "'clazz.*.v1'" },
        { happened_at: "'infinity'" },
        { trace: "'00-\n'" },
      ];
      for (const wrong of wrongs) expect(await by.tryStatement(insert(wrong)), JSON.stringify(wrong)).toBe('23514');
    }
  });

  it.each([
    'select pg_advisory_lock(1)',
    'select pg_advisory_xact_lock(1)',
    'select pg_try_advisory_lock(1)',
    'select pg_advisory_xact_lock_shared(1, 1)',
    'select pg_advisory_unlock_all()',
    'create temporary table member (org_id uuid)',
    'create table left_here (it text)',
    'create table public.left_here (it text)',
    'create view public.left_here as select 1',
    'create function public.left_here() returns int language sql return 1',
    'create function pg_temp.left_here() returns int language sql return 1',
    'create schema left_here',
    'create extension dblink',
    'select lo_create(0)',
    "select lo_from_bytea(0, 'left here')",
    "select pg_notify('a', 'b')",
    "select pg_logical_emit_message(false, 'a', 'b')",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('.')",
    "copy (select 1) to '/tmp/left-here'",
    "copy (select 1) to program 'true'",
    'select from pg_authid',
    'select from pg_statistic',
    'select pg_stat_reset()',
    'set session authorization postgres',
    'set role postgres',
    'set session_replication_role = replica',
    'set log_parameter_max_length = -1',
    'alter role current_user bypassrls',
  ])('cannot execute: %s', async (text) => {
    for (const service of SERVICES) expect(await session(service).tryStatement(text), service).toBe(FORBIDDEN);
  });

  it('cannot take another role or leave the schema of its service', async () => {
    for (const service of SERVICES) {
      const by = session(service);
      for (const role of [`${service}_owner`, `${service}_worker`])
        expect(await by.tryStatement(`set role ${role}`), role).toBe(FORBIDDEN);
      for (const table of tables) {
        if (table.service !== service)
          expect(await by.tryStatement(`select from ${table.name}`), table.name).toBe(FORBIDDEN);
        else
          for (const change of ['disable row level security', 'no force row level security'])
            expect(await by.tryStatement(`alter table ${table.name} ${change}`), table.name).toBe(FORBIDDEN);
      }
    }
    const sequences = await fixture.sql<{ name: string; service: string }>(`
      select c.oid::regclass::text as name, n.nspname as service from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and n.nspname in ('clazz', 'course', 'package', 'stats')`);
    for (const { name, service } of sequences) {
      expect(await session(service).tryStatement(`select nextval('${name}')`), name).toBe(FORBIDDEN);
      expect(await session(service).tryStatement(`select last_value from ${name}`), name).toBe(FORBIDDEN);
    }
  });

  it('causes no error in the services', async () => {
    await vi.waitFor(async () => waitUntilCaughtUp(fixture), POLL_OPTIONS);
    expect(fixture.logged().filter(({ level }) => ['error', 'fatal'].includes(level))).toEqual([]);
  });
});

describe('A hostile statement in the session of a worker', () => {
  const entry =
    "'domain', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'a.b.v1', 'a', 'me', gen_random_uuid(), now()";
  const columns = 'log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at';
  const worker = async (service: ServiceName, name?: string): Promise<HostileSession> => {
    const one = new HostileSession(fixture, service, name === undefined ? OTHER : '', 'worker', name);
    await one.begin();
    return one;
  };

  it('adds to the log, and changes, removes and renumbers nothing in it', async () => {
    for (const service of SERVICES) {
      const by = await worker(service);
      const added = `insert into log_entry (${columns}) values (${entry})`;
      expect(await by.tryStatement(`with a as (${added}) select`), service).toBe(1);
      for (const text of [
        ...['log_entry', 'log_batch', 'log_epoch', 'log_head', 'log_org'].flatMap((table) => [
          `delete from ${table}`,
          `truncate ${table}`,
          `update ${table} set log = log`,
          `lock table ${table} in access exclusive mode`,
          `alter table ${table} disable trigger all`,
          `drop table ${table}`,
        ]),
        'update log_entry set data = null',
        'select from log_entry for update',
        `insert into log_entry (seq, ${columns}) overriding system value values (1, ${entry})`,
        "select setval('log_entry_seq_seq', 1)",
        'alter sequence log_entry_seq_seq restart',
        'update log_batch set numbered_at = now()',
        "insert into log_batch (log, first_no, first_seq, last_seq, seqs, previous, numbered_at) values ('domain', 999999, 1, 1, '{1}', '{}', now() - interval '9 days')",
        "insert into log_batch (log, first_no, first_seq, last_seq, seqs, previous) select log, no, 1, 1, '{1}', '{}' from log_head",
        "insert into log_epoch (log, epoch, first_no, why) select log, epoch + 1, no, 'a' from log_head",
        "insert into log_epoch (log, epoch, first_no, why) select log, epoch, no + 1, 'a' from log_head",
        'update log_head set no = no - 1',
        'update log_head set epoch = epoch - 1',
        'update log_head set id = gen_random_uuid()',
        'update log_head set base = no',
        'update log_org set no = no - 1',
        'update log_org set id = gen_random_uuid()',
      ])
        expect(await by.tryStatement(text), `${service}: ${text}`).toBe(FORBIDDEN);
      await by.end();
    }
    const by = await worker('clazz');
    for (const text of ['update audit_head set entries = entries - 1', "update audit_head set hash = 'a'"])
      expect(await by.tryStatement(text), text).toBe(FORBIDDEN);
    await by.end();
  });

  it('removes only audit records that are old and read, of all organizations', async () => {
    const by = await worker('clazz');
    const remove = async (log: string) => {
      await by.execute('begin');
      const removed = await by.firstValue('select remove_old_audit_records($1)', [log]).catch(String);
      await by.execute('rollback');
      return removed;
    };
    const entries = async () => (await fixture.sql("select from clazz.log_entry where log = 'audit'")).length;
    const age = (days: number) =>
      fixture.sql('update clazz.log_batch set numbered_at = now() - make_interval(days => $1)', [days]);
    expect(await remove('clazz')).toMatch(/only the audit log/);
    expect(await remove('clazz.audit')).toBe('0');
    await age(8);
    expect(Number(await remove('clazz.audit'))).toBe(Math.min(await entries(), 1_000));
    await age(0);
    await by.end();
  });

  it('has rights of instances of release 0.2.0 only while one is connected', async () => {
    for (const service of SERVICES) {
      const mayDelete = async () =>
        (
          await fixture.sql("select has_table_privilege($1, $2, 'delete') as it", [
            `${service}_worker`,
            `${service}.log_batch`,
          ])
        )[0]?.['it'];
      expect(await mayDelete(), service).toBe(false);
      await fixture.sql(`grant delete on ${service}.log_entry, ${service}.log_batch to ${service}_worker`);
      const [former, by] = [await worker(service, `${service} worker look`), await worker(service)];
      await by.execute('select withdraw_former_rights()');
      expect(await mayDelete()).toBe(true);
      await former.end();
      await expect
        .poll(async () => (await by.execute('select withdraw_former_rights()')) && mayDelete(), POLL_OPTIONS)
        .toBe(false);
      await by.end();
    }
  });
});

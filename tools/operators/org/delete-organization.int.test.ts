import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream';
import pg from 'pg';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, assert, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { fixedValue } from '../../../libs/kit/src/base/live-value.ts';
import {
  auditCalls,
  clazzCalls,
  memberCalls,
  packageCalls,
  policyCalls,
  SERVICES,
} from '../../../libs/contracts/src/index.ts';
import type { BusAddress } from '../../../libs/kit/src/rpc/bus-login.ts';
import { rebuildStatistics, readTables } from '../../../services/stats/test/rebuild-statistics.ts';
import { contentsAtRest } from '../../proofs/test/contents-at-rest.ts';
import { waitUntilCaughtUp } from '../../proofs/test/wait-caught-up.ts';
import { contentsOf } from '../../proofs/test/contents.ts';
import { type Fixture, startFixture } from '../../proofs/test/fixture.ts';
import { orgTables, insertPlaceholders, placeholderInsert } from '../../proofs/test/hostile/tables.ts';
import { oneOfEach } from '../../proofs/test/one-of-each.ts';
import { runTool } from '../../proofs/test/run-tool.ts';
import { POLL_OPTIONS } from '../../proofs/test/poll-options.ts';
import { asAdmin } from './owner-session.ts';
import { blankLogs } from './blank-logs.ts';
import { deleteOrg, type Deleted } from './delete-organization.ts';

let fixture: Fixture;
let folder: string;
let nc: NatsConnection;
/** An organization that is not deleted. */
const STAYING = randomUUID();
const staying = (): Fixture => ({ ...fixture, org: STAYING, as: (person) => fixture.as({ org: STAYING, ...person }) });
const pass = () => inject('stack').secrets.nats.admin;
const bus = (): BusAddress => ({
  NATS_URL: fixture.nats.url,
  NATS_USER: 'admin',
  NATS_PASSWORD: fixedValue([pass()]),
});
const remove = (org: string, onStep: (step: string) => void | Promise<void> = () => undefined): Promise<Deleted> =>
  deleteOrg({ adminUrl: fixture.adminUrl, bus: bus(), org, brokerFolder: folder, onStep });
const create = (org: string, name: string) =>
  fixture.as({ role: 'SUPERVISOR', org }).ok(clazzCalls.createClazz, { body: { name, lead_teacher_id: 'lee' } });

/** Rows of an organization by table, where there are some. */
const rowsOf = async (org: string): Promise<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const { name } of await orgTables(fixture)) {
    const [row] = await fixture.sql<{ n: number }>(`select count(*)::int as n from ${name} where org_id = $1`, [org]);
    if (row !== undefined && row.n > 0) found[name] = row.n;
  }
  return found;
};
const managerOf = (service: string) => jetstreamManager(nc, { domain: service, checkAPI: false });
const messagesOf = async (org: string): Promise<number> => {
  let found = 0;
  for (const service of ['clazz', 'course', 'package']) {
    const manager = await managerOf(service);
    for await (const { config } of manager.streams.list()) {
      const { state } = await manager.streams.info(config.name, { subjects_filter: `*.${org}.>` });
      found += Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
    }
  }
  return found;
};
/** Expects that everything is published, and each event of the remaining organization once. */
const eachOnce = async (): Promise<boolean> => {
  const manager = await managerOf('clazz');
  const { state } = await manager.streams.info('EVENTS_CLAZZ', { subjects_filter: `evt.${STAYING}.>` });
  const messages = Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  const [log] = await fixture.sql<{ told: number; published: boolean }>(
    `select (select count(*)::int from clazz.log_entry where org_id = $1 and log = 'domain') as told,
       published_no = no and not exists (select from clazz.log_waiting) as published
     from clazz.log_head where log = 'domain'`,
    [STAYING],
  );
  return log?.published === true && log.told === messages;
};
const nothingOf = async (org: string): Promise<void> => {
  expect(await rowsOf(org)).toEqual({});
  expect(await messagesOf(org)).toBe(0);
};

/** All rows of the remaining organization, except times of the last use of a key or offset. */
const theirs = () => contentsOf(fixture, STAYING);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-broker-'));
  fixture = await startFixture();
  nc = await connect({ servers: fixture.nats.url, user: 'admin', pass: pass() });
  await oneOfEach(staying());
});
afterAll(async () => {
  await nc?.close();
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('Deleting an organization with data of every kind', () => {
  let before: Awaited<ReturnType<typeof theirs>>;
  let statistics: Record<string, unknown>;
  let told: number;
  let deleted: Deleted;
  let trail: { entries: number; head: string };

  beforeAll(async () => {
    await oneOfEach(fixture);
    await waitUntilCaughtUp(fixture);
    const reader = await runTool(
      'cli.ts',
      { NATS_URL: fixture.nats.url, NATS_ADMIN_PASSWORD: pass() },
      'readers',
      'add',
      'warehouse',
      '--org',
      fixture.org,
      '--folder',
      folder,
    );
    assert(reader.code === 0, reader.err);
    await vi.waitFor(
      async () => assert((await fixture.as({ role: 'SUPERVISOR' }).ok(auditCalls.getAuditLogHead)).complete),
      POLL_OPTIONS,
    );
    before = await contentsAtRest(staying(), theirs);
    statistics = await readTables(fixture, STAYING);
    told = await messagesOf(STAYING);
    assert((await messagesOf(fixture.org)) > 50);
    trail = await fixture.as({ role: 'SUPERVISOR' }).ok(auditCalls.verifyAuditLog);
    await insertPlaceholders({ ...fixture }, fixture.org);
    deleted = await remove(fixture.org);
  });

  it('leaves no row or message, and reports every table and stream', async () => {
    await nothingOf(fixture.org);
    expect(deleted.removed.rows).toBeGreaterThan(100);
    const looked = deleted.looked.map(({ where }) => where);
    const all = await fixture.sql<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname in ('clazz', 'course', 'package', 'stats') order by 1`,
    );
    expect(looked).toEqual(expect.arrayContaining(all.map(({ name }) => name)));
    expect(looked).toEqual(
      expect.arrayContaining(['EVENTS_CLAZZ', 'EVENTS_COURSE', 'EVENTS_PACKAGE', 'AUDIT_CLAZZ', 'consumers']),
    );
  });

  it('ends the accounts of its readers', () => {
    expect(deleted.readers).toEqual(['warehouse']);
    expect(readFileSync(join(folder, 'users.conf'), 'utf8')).not.toContain('warehouse');
    expect(readFileSync(join(folder, 'readers.json'), 'utf8')).toBe('[]\n');
  });

  it('leaves one record without names, with the end of its audit log', async () => {
    expect(deleted.tombstone).toMatchObject({ id: fixture.org, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(deleted.tombstone.entries).toBeGreaterThanOrEqual(trail.entries);
    const columns = Object.keys((await fixture.sql('select * from clazz.organization_end'))[0] ?? {});
    expect(columns).toEqual(['id', 'began_at', 'sealed', 'ended_at', 'entries', 'hash', 'changed']);
  });

  it('leaves every byte of another organization unchanged', async () => {
    expect(await contentsAtRest(staying(), theirs)).toEqual(before);
    expect(await messagesOf(STAYING)).toBe(told);
    expect(await staying().as({ role: 'SUPERVISOR' }).ok(auditCalls.verifyAuditLog)).toMatchObject({ ok: true });
  });

  it('leaves complete logs: rebuilt statistics are equal, without the organization', async () => {
    await rebuildStatistics(fixture);
    expect(await readTables(fixture, STAYING)).toEqual(statistics);
    expect(await rowsOf(fixture.org)).toEqual({});
  });

  it('publishes none of its events again after the broker returns or lost its store', async () => {
    // Messages that are repeated within a moment count once: no moment is so short here.
    const { streams } = await managerOf('clazz');
    const { config } = await streams.info('EVENTS_CLAZZ');
    await streams.update(config.name, { ...config, duplicate_window: 100_000_000 });
    // More than a publisher reads at the end of a stream.
    const last = randomUUID();
    const clazz = await connect({ servers: fixture.nats.url, user: 'admin_clazz', pass: pass() });
    for (let n = 0; n < 150; n += 1) clazz.publish(`evt.${last}.clazz.left.here`, '{}');
    await clazz.drain();
    await expect.poll(() => messagesOf(last), POLL_OPTIONS).toBe(150);
    await remove(last);
    await create(STAYING, 'Behind what is gone');
    await expect.poll(eachOnce, POLL_OPTIONS).toBe(true);
    await fixture.nats.restart();
    await nc.close();
    nc = await connect({ servers: fixture.nats.url, user: 'admin', pass: pass() });
    await vi.waitFor(() => create(STAYING, 'After the restart'), POLL_OPTIONS);
    await expect.poll(eachOnce, POLL_OPTIONS).toBe(true);
    await nothingOf(fixture.org);
    const manager = await managerOf('clazz');
    await manager.streams.delete('EVENTS_CLAZZ');
    await create(STAYING, 'After it forgot');
    await expect.poll(() => messagesOf(STAYING), POLL_OPTIONS).toBeGreaterThan(50);
    await nothingOf(fixture.org);
  });

  it('refuses its members, and stores nothing about their attempts', async () => {
    const boss = fixture.as({ role: 'SUPERVISOR' });
    const began = new Date(Date.now() - 1_000);
    await expect
      .poll(async () => (await boss.refused(clazzCalls.listClazzes)).code, POLL_OPTIONS)
      .toBe('unauthenticated');
    await staying().as({ role: 'STUDENT', sub: 'ann' }).refused(policyCalls.putPolicy, { body: {} });
    const refused = () => fixture.sql('select from clazz.refusal where org_id = $1 and last_at > $2', [STAYING, began]);
    await expect.poll(async () => (await refused()).length, POLL_OPTIONS).toBeGreaterThan(0);
    await nothingOf(fixture.org);
  });

  it('changes nothing when it runs again', async () => {
    const again = await remove(fixture.org);
    expect(again).toEqual({
      tombstone: deleted.tombstone,
      removed: { rows: 0, entries: 0, messages: 0 },
      readers: [],
      looked: deleted.looked,
    });
  });
});

describe('A deletion', () => {
  let org: string;
  beforeEach(() => {
    org = randomUUID();
  });

  it('continues after it was stopped at any step', async () => {
    const steps: string[] = [];
    await create(org, 'To go');
    for (let stopped = true; stopped;) {
      const run = remove(org, (step) => {
        if (steps.includes(step)) return;
        steps.push(step);
        throw new Error('stopped here');
      });
      stopped = await run.then(
        () => false,
        (error: unknown) => String(error).includes('stopped here'),
      );
    }
    expect(steps.length).toBeGreaterThan(10);
    await nothingOf(org);
    expect((await remove(org)).tombstone).toMatchObject({ id: org, ended_at: expect.any(String) });
  });

  it('blanks the events of the organization in the whole log, one range at a time', async () => {
    const others = () =>
      fixture.sql('select md5(array_agg(t order by seq)::text) from clazz.log_entry as t where org_id = $1', [STAYING]);
    for (let n = 0; n < 8; n += 1) await Promise.all([create(org, `Class ${n}`), create(STAYING, `Class ${n}`)]);
    const [before] = await fixture.sql<{ n: number }>(
      'select count(*)::int as n from clazz.log_entry where org_id = $1',
      [org],
    );
    const theirs = await others();
    expect(await asAdmin(fixture.adminUrl, (client) => blankLogs(client, org, undefined, 3n))).toBe(before?.n);
    expect(await fixture.sql('select from clazz.log_entry where org_id = $1', [org])).toEqual([]);
    expect(await others()).toEqual(theirs);
    await remove(org);
  });

  it('leaves nothing beside requests of the organization, also later', async () => {
    const boss = fixture.as({ role: 'SUPERVISOR', org });
    const stop = new AbortController();
    const came = new Map<string, number>();
    const times = (code: string): number => came.get(code) ?? 0;
    const send = async (n: number): Promise<void> => {
      const members = [{ user_id: `s${n}`, role: 'STUDENT', display_name: 'Ann' } as const];
      while (!stop.signal.aborted) {
        const outcomes = await Promise.all([
          boss.outcome(clazzCalls.createClazz, { body: { name: `Class ${n}`, lead_teacher_id: 'lee' } }),
          boss.outcome(packageCalls.createPackage, { body: { title: 'Algebra' } }),
          boss.outcome(memberCalls.putMembers, { body: { members } }),
        ]);
        for (const { code } of outcomes) came.set(code, (came.get(code) ?? 0) + 1);
      }
    };
    const sending = [1, 2, 3].map(send);
    await vi.waitUntil(() => times('done') > 20, POLL_OPTIONS);
    try {
      await remove(org);
      await nothingOf(org);
      await vi.waitUntil(() => times('unauthenticated') > 20, POLL_OPTIONS);
    } finally {
      stop.abort();
      await Promise.all(sending);
    }
    await create(STAYING, 'Later');
    await waitUntilCaughtUp(fixture);
    await nothingOf(org);
    const codes = [...came.keys()];
    expect(codes.filter((code) => !['done', 'unauthenticated', 'forbidden'].includes(code))).toEqual([]);
  });

  it('keeps the audit log until no entry can be added', async () => {
    await create(org, 'To go');
    await remove(org, async (step) => {
      if (step !== 'later writes are refused') return;
      await expect.poll(() => rowsOf(org), POLL_OPTIONS).toMatchObject({ 'clazz.clazz_audit_log': expect.any(Number) });
      const away = fixture.sql('delete from clazz.clazz_audit_log where org_id = $1', [org]);
      await expect(away).rejects.toThrow('never changed or removed');
    });
    await nothingOf(org);
  });

  /** The statements that a deletion has sent so far. */
  const asks = async (text: string): Promise<boolean> => {
    const asking = `select from pg_stat_activity where datname = current_database() and application_name = 'organization'
      and strpos(query, $1) > 0`;
    return (await fixture.sql(asking, [text])).length > 0;
  };
  /** Deletes while something is blocked from one step on, and unblocks it once the deletion waits. Returns the order of events. */
  const heldUp = async (
    steps: { hold: string; wait: string; next: string; asking: string },
    hold: () => Promise<void>,
    release: () => Promise<void>,
  ): Promise<string[]> => {
    const order: string[] = [];
    let released = Promise.resolve();
    await remove(org, async (step) => {
      if (step === steps.hold) await hold();
      if (step === steps.next) order.push('it went on');
      if (step === steps.wait)
        released = vi
          .waitUntil(() => order.length > 0 || asks(steps.asking), POLL_OPTIONS)
          .then(() => order.push('it was over'))
          .then(release);
    });
    await released;
    return order;
  };

  it.each([
    { hold: 'access is revoked', wait: 'calls in progress end', next: 'its audit log ends', role: '' },
    {
      hold: 'later writes are refused',
      wait: 'earlier transactions end',
      next: 'its last log entries become numbers',
      role: 'WORKER_',
    },
  ])('waits for transactions that began before "$wait"', async ({ role, ...steps }) => {
    await create(org, 'To go');
    const one = new pg.Client({ connectionString: fixture.envFor('course')[`${role}DATABASE_URL`] });
    await one.connect();
    const hold = async (): Promise<void> => {
      await one.query(`begin; set local app.org_id = '${org}'`);
      if (role !== '') await one.query(await placeholderInsert(fixture, 'course.log_entry'), [org]);
    };
    const order = await heldUp({ ...steps, asking: 'virtualxid' }, hold, async () => void (await one.query('commit')));
    await one.end();
    expect(order).toEqual(['it was over', 'it went on']);
    await nothingOf(org);
  });

  it('waits until the audit log is complete', async () => {
    await create(org, 'To go');
    const has = () => fixture.sql("select from clazz.log_entry where org_id = $1 and log = 'audit'", [org]);
    await expect.poll(async () => (await has()).length, POLL_OPTIONS).toBeGreaterThan(0);
    const one = new pg.Client({ connectionString: fixture.adminUrl });
    await one.connect();
    const hold = async (): Promise<void> => {
      await one.query("begin; select from clazz.follower_position where follower = 'audit' for update");
      await fixture.sql(
        `insert into clazz.log_entry (log, id, org_id, tx_id, type, aggregate_id, actor, request_id, happened_at, data)
         select log, gen_random_uuid(), org_id, gen_random_uuid(), 'clazz.not.known.v1', aggregate_id, actor, request_id,
           happened_at, data from clazz.log_entry where org_id = $1 and log = 'audit' limit 1`,
        [org],
      );
    };
    const steps = {
      hold: 'its audit log ends',
      wait: 'its audit log ends',
      next: 'its log entries become numbers',
      asking: 'clazz.log_waiting',
    };
    const order = await heldUp(steps, hold, async () => void (await one.query('rollback')));
    await one.end();
    expect(order).toEqual(['it was over', 'it went on']);
    await nothingOf(org);
  });

  it('waits until entries in the memory of a publisher are published, then removes them', async () => {
    await create(org, 'To go');
    await waitUntilCaughtUp(fixture);
    const { streams } = await managerOf('package');
    const { state, config } = await streams.info('EVENTS_PACKAGE');
    const steps = {
      hold: 'access is revoked',
      wait: 'earlier events are published',
      next: 'its messages are removed',
      // Whether a publisher runs. It is asked after each negative answer, so between two checks it is the last statement.
      asking: 'usename = $1 limit 1',
    };
    // The stream accepts no more, so the publisher keeps its entries.
    const full = { ...config, discard: DiscardPolicy.New, max_msgs: state.messages };
    await streams.update(config.name, full);
    await fixture.as({ role: 'SUPERVISOR', org }).ok(packageCalls.createPackage, { body: { title: 'Algebra' } });
    const free = async (): Promise<void> => void (await streams.update(config.name, config));
    expect(await heldUp(steps, async () => undefined, free)).toEqual(['it was over', 'it went on']);
    await nothingOf(org);
  });

  it('is refused while a table is not declared', async () => {
    await fixture.sql('create table course.new_one (id int)');
    await expect(remove(org)).rejects.toThrow('rows of organizations: course.new_one');
    await fixture.sql('drop table course.new_one');
    expect(await fixture.sql('select from clazz.organization_end where id = $1', [org])).toEqual([]);
  });

  it('reports remains, and does not succeed', async () => {
    const late = remove(org, async (step) => {
      if (step !== 'remains are searched') return;
      await fixture.sql(await placeholderInsert(fixture, 'course.course_group'), [org]);
    });
    await expect(late).rejects.toThrow('left: 1 in course.course_group');
    await remove(org);
    await nothingOf(org);
  });

  it('runs by the command, which requires the id twice', async () => {
    const env = { DATABASE_ADMIN_URL: fixture.adminUrl, NATS_URL: fixture.nats.url, NATS_ADMIN_PASSWORD: pass() };
    await create(org, 'To go');
    const once = await runTool('cli.ts', env, 'org', 'delete', '--org', org, '--folder', folder);
    expect([once.code, once.err]).toEqual([2, expect.stringContaining('--confirm')]);
    expect((await rowsOf(org))['clazz.clazz']).toBe(1);
    const to = join(folder, 'export');
    expect(await runTool('cli.ts', env, 'org', 'export', '--org', org, '--to', to)).toMatchObject({ code: 0, err: '' });
    expect(await runTool('cli.ts', {}, 'org', 'verify', '--from', to)).toMatchObject({ code: 0, err: '' });
    const done = await runTool('cli.ts', env, 'org', 'delete', '--org', org, '--confirm', org, '--folder', folder);
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^clazz\.clazz: 0$/m) });
    await nothingOf(org);
  });
});

describe('A late write of a deleted organization', () => {
  /** Adds a row to each table as a role of its service. Returns the tables that accepted it, or refused it by another rule. */
  const addedBy = async (role: 'app' | 'worker', org: string): Promise<string[]> => {
    const added: string[] = [];
    await asAdmin(fixture.adminUrl, async (client) => {
      for (const { service, name } of await orgTables(fixture)) {
        const insert = await placeholderInsert(fixture, name);
        await client.query('begin');
        await client.query(`set local role ${service}_${role}`);
        await client.query("select set_config('app.org_id', $1, true)", [role === 'app' ? org : '']);
        const why = await client.query(insert, [org]).then(
          () => 'added',
          (error: unknown) => (error instanceof Error ? error.message : ''),
        );
        await client.query('rollback');
        const guard = role === 'app' ? 'organization_over' : 'organization_sealed';
        if (!why.includes(guard) && !why.startsWith('permission denied')) added.push(`${name}: ${why}`);
      }
    });
    return added;
  };

  it('is refused by every table, from the request role and the worker role', async () => {
    const org = randomUUID();
    const free = await addedBy('worker', org);
    expect(free.length).toBeGreaterThan(20);
    await remove(org);
    expect(await addedBy('app', org)).toEqual([]);
    // A number belongs to an entry that is in the log already.
    expect(await addedBy('worker', org)).toEqual(SERVICES.map((service) => `${service}.log_org: added`).toSorted());
  });

  it('is skipped by a follower that was behind, which follows other organizations', async () => {
    const org = randomUUID();
    const holder = new pg.Client({ connectionString: fixture.adminUrl });
    await holder.connect();
    await holder.query('begin; select from stats.follower_position for update');
    await create(org, 'Not followed yet');
    try {
      await remove(org, async (step) => {
        if (step === 'earlier transactions end') await holder.query('rollback');
      });
    } finally {
      await holder.end();
    }
    await create(STAYING, 'Behind it');
    await waitUntilCaughtUp(fixture);
    expect(
      await fixture.sql("select from stats.clazz where org_id = $1 and name = 'Behind it'", [STAYING]),
    ).not.toEqual([]);
    await nothingOf(org);
  });
});

import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '@teaching/contracts';
import { HOUR_MS } from '@teaching/kit';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../../libs/kit/src/db/pool.ts';
import { createLogger } from '../../../libs/kit/src/index.ts';
import type { ReceivedEvent } from '../../../libs/kit/src/log/received-event.ts';
import { inWorkerTransaction } from '../../../libs/kit/src/log/worker-transaction.ts';
import { expectOk, expectRefusal } from '../../../tools/proofs/test/expect-answers.ts';
import { clazzWith, newClazz } from '../../../tools/proofs/test/clazz.ts';
import { type Fixture, startFixture } from '../../../tools/proofs/test/fixture.ts';
import type { Answer } from '../../../tools/proofs/test/http.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';
import { readCsv } from '../../../tools/proofs/test/read-csv.ts';
import { appendEntries } from '../src/audit/audit-follower.ts';
import { enrolNow, postLesson } from './enrol-helpers.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz', 'course'] });
});
afterAll(() => fixture?.stop());

const supervisor = (org = fixture.org) => fixture.as({ role: 'SUPERVISOR', org });
const verify = async (org?: string) => expectOk(await supervisor(org).get('/clazz/audit-log/verify'));
const auditLogOf = async (id: string, query = '') =>
  expectOk(await supervisor().get(`/clazz/${id}/audit-log?${query}`));
/** All audit entries of a class, read page by page. */
const readAllPages = async (id: string): Promise<AuditEntry[]> => {
  const page = (cursor = '') => auditLogOf(id, `limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
  const rows: AuditEntry[] = [];
  for await (const items of pagesOf(page)) rows.push(...items);
  return rows;
};
/** The lines of the CSV export of a class's audit log. */
const exportLines = async (id: string): Promise<string[]> => {
  const answer: Answer = await supervisor().get(`/clazz/${id}/audit-log?bom=true`, { accept: 'text/csv' });
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
  // Decoding removes the byte order mark at the start; no later part contains one.
  expect(answer.body).not.toContain('\uFEFF');
  return String(expectOk(answer)).trimEnd().split('\r\n');
};

describe('the audit log of a class', () => {
  it('is filtered, is paged newest first, and remains after the class is deleted', async () => {
    const { id } = await newClazz(supervisor(), {}, 'draft');
    await enrolNow(supervisor(), id, 's');
    expectOk(await fixture.as({ role: 'TEACHER', sub: 'visitor' }).get(`/clazz/${id}`));
    expectOk(await fixture.as({ role: 'TEACHER', sub: 'visitor' }).get(`/clazz/${id}/lesson`));
    expect((await auditLogOf(id, 'actor_id=visitor')).items.map((row) => `${row.action} ${row.entity}`)).toEqual([
      'read lesson',
      'read clazz',
    ]);
    expect((await supervisor().delete(`/clazz/${id}`)).status).toBe(204);
    const whole = (await auditLogOf(id, 'limit=100')).items;
    expect(whole[0]).toMatchObject({ action: 'delete', entity: 'clazz' });
    expect(whole.map((row) => row.seq)).toEqual(whole.map((row) => row.seq).toSorted((a, b) => b - a));
    expect(await readAllPages(id)).toEqual(whole);
    const last = whole[0]?.occurred_at ?? '';
    expect((await auditLogOf(id, `from=${last}`)).items.every((row) => row.occurred_at >= last)).toBe(true);
    expect((await auditLogOf(id, `to=${last}`)).items.every((row) => row.occurred_at < last)).toBe(true);
    expect((await auditLogOf(id, 'action=create')).items).toHaveLength(3);
    expectRefusal(await fixture.as({ role: 'TEACHER' }).get(`/clazz/${id}/audit-log`), 404, 'not_found');
  });

  it('is exported as one CSV from several parts, with formulas escaped', async () => {
    const { id } = await newClazz(supervisor(), { name: '=HYPERLINK("http://x")' });
    for (const starts_on of ['2033-01-01', '2035-01-01', '2037-01-01']) {
      const series = {
        starts_on,
        start_time: '10:00',
        duration_minutes: 60,
        zone: 'UTC',
        rrule: 'FREQ=DAILY',
        count: 500,
      };
      expectOk(await supervisor().post(`/clazz/${id}/lesson/series`, { ...series, reason: '+SUM(1)' }), 201);
    }
    const lines = await exportLines(id);
    expect(lines).toHaveLength(1 + 1_502);
    expect(lines.filter((line) => line.startsWith('seq,'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(`,'+SUM(1),`))).toHaveLength(1_500);
    const seqs = lines.slice(1).map((line) => Number(line.split(',', 1)[0]));
    expect(new Set(seqs).size).toBe(1_502);
  });

  it('is exported so that separators and line breaks in a reason start no new cell', async () => {
    const reasons = ["ill\r\n=cmd|' /C calc'!A0", 'ill;=1+1', 'ill\t=1+1', 'said "=1",\n-2', '\uff1d1+1'];
    const { id } = await newClazz(supervisor());
    for (const [n, reason] of reasons.entries()) {
      const day = `2031-01-0${n + 1}`;
      const times = { starts_at: `${day}T10:00:00Z`, ends_at: `${day}T11:00:00Z` };
      expectOk(await supervisor().post(`/clazz/${id}/lesson`, { ...times, reason }), 201);
    }
    const answer: Answer = await supervisor().get(`/clazz/${id}/audit-log`, { accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [head = [], ...rows] = readCsv(String(expectOk(answer)));
    const found = rows.map((row) => row[head.indexOf('reason')]).filter(Boolean);
    expect(found).toEqual(reasons.map((one) => (one.startsWith('\uff1d') ? `'${one}` : one)).toReversed());
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([head.length]));
  });

  it('answers 503 to a read whose entry cannot be stored', async () => {
    const { id } = await newClazz(supervisor());
    await fixture.sql('revoke insert on clazz.log_entry from clazz_app');
    try {
      const answer = await supervisor().get(`/clazz/${id}`);
      expectRefusal(answer, 503, 'unavailable');
      expect(answer.body.name).toBeUndefined();
      expectRefusal(await supervisor().get('/clazz/hour/account/s'), 503, 'unavailable');
      expectRefusal(await supervisor().get('/clazz?limit=1'), 503, 'unavailable');
    } finally {
      await fixture.sql('grant insert on clazz.log_entry to clazz_app');
    }
    expectOk(await supervisor().get(`/clazz/${id}`));
    expect((await auditLogOf(id, 'action=read')).items).toHaveLength(1);
  });
});

describe('a change without effect', () => {
  it('adds no audit entry and no event, and keeps the version', async () => {
    const clazz = await newClazz(supervisor(), { name: 'Same', lead_teacher_id: 'lee', capacity: 5 });
    const { id } = clazz;
    expectOk(await supervisor().put(`/clazz/${id}/assistants`, { teacher_ids: ['ann'] }));
    const lesson = expectOk(await postLesson(supervisor(), id, '2033-01-01T10:00:00Z'), 201);
    const count = async () =>
      (await fixture.sql('select count(*)::int as n from clazz.log_entry where org_id = $1', [fixture.org]))[0];
    const [before, entries] = [await count(), (await verify()).entries];
    const same = expectOk(await supervisor().patch(`/clazz/${id}`, { name: 'Same', capacity: 5 }));
    expect(same.version).toBe(clazz.version + 1);
    expectOk(await supervisor().patch(`/clazz/${id}`, {}));
    expectOk(await supervisor().put(`/clazz/${id}/assistants`, { teacher_ids: ['ann'] }));
    expectOk(await supervisor().patch(`/clazz/lesson/${lesson.id}`, { hours: '1.00', reason: 'for nothing' }));
    expectOk(
      await supervisor().put('/clazz/policy', {
        ...expectOk(await supervisor().get('/clazz/policy')),
        version: undefined,
      }),
    );
    expect([await count(), (await verify()).entries]).toEqual([before, entries]);
  });

  it('is left out of audit entries, in which before and after always differ', async () => {
    const id = await clazzWith(supervisor(), ['s', 't'], { lead_teacher_id: 'differs' });
    const lesson = expectOk(await postLesson(supervisor(), id, new Date(Date.now() - 2 * HOUR_MS).toISOString()), 201);
    const mark = async (note: string) => {
      const body = { marks: [{ student_id: 's', mark: 'present', note }] };
      expectOk(await supervisor().put(`/clazz/lesson/${lesson.id}/roll-call`, body));
    };
    await mark('early');
    await mark('late');
    const marked = (await auditLogOf(id, 'entity=roll_call')).items;
    expect(marked[0]?.changes).toEqual({ 'note/s': { before: 'early', after: 'late' } });
    // The charge changes, the mark does not.
    expectOk(await supervisor().patch(`/clazz/lesson/${lesson.id}`, { hours: '2.00', reason: 'longer' }));
    expect((await auditLogOf(id, 'entity=roll_call')).items).toEqual(marked);
    const { items } = await auditLogOf(id, 'limit=100');
    for (const { changes } of items)
      for (const { before, after } of Object.values(changes)) expect(before).not.toEqual(after);
  });
});

describe('reading the hours of a student', () => {
  it('adds one audit entry per read, also found in the audit log of each class of the student', async () => {
    const [student, withoutClass] = [`s-${randomUUID().slice(0, 8)}`, `n-${randomUUID().slice(0, 8)}`];
    const { id } = await newClazz(supervisor());
    await enrolNow(supervisor(), id, student);
    const before = (await verify()).entries;
    const reader = fixture.as({ role: 'SUPERVISOR', sub: 'accountant' });
    expectOk(await reader.get(`/clazz/hour/account/${student}`));
    expectOk(await reader.get(`/clazz/hour/entry/${student}`));
    expectOk(await reader.get(`/clazz/hour/account/${withoutClass}`));
    expect(await verify()).toMatchObject({ ok: true, entries: before + 3 });
    const read = { action: 'read', entity_id: student };
    const both = [
      { ...read, entity: 'entry' },
      { ...read, entity: 'account' },
    ];
    expect((await auditLogOf(id, 'actor_id=accountant')).items).toMatchObject(both);
  });
});

describe('an audit record that cannot be stored', () => {
  it('is counted as a dead letter, and verify reports the audit log as incomplete', async () => {
    const org = randomUUID();
    const { id } = await newClazz(supervisor(org));
    expect(await verify(org)).toMatchObject({ ok: true, complete: true, dead_letters: 0 });
    // With this constraint the table refuses entries of this class.
    await fixture.sql(
      "alter table clazz.clazz_audit_log add constraint fault check (entity_id <> '" + id + "') not valid",
    );
    try {
      expectOk(await supervisor(org).patch(`/clazz/${id}`, { name: 'lost' }));
      expectOk(await supervisor(org).patch(`/clazz/${id}`, { name: 'lost, too' }));
      await expect.poll(async () => (await verify(org)).dead_letters).toBe(2);
      expect(await verify(org)).toMatchObject({ ok: true, complete: false });
      expect(expectOk(await supervisor(org).get('/clazz/audit-log/head')).complete).toBe(false);
    } finally {
      await fixture.sql('alter table clazz.clazz_audit_log drop constraint fault');
    }
  });
});

describe('reading a list of classes', () => {
  const listAsReader = async (query: string): Promise<string[]> =>
    expectOk(await fixture.as({ role: 'TEACHER', sub: 'list-reader' }).get(`/clazz?${query}`)).items.map(
      (row) => row.id,
    );

  it('adds one audit entry and one event, found in the audit log of each class it showed', async () => {
    const org = fixture.org;
    const names = Array.from({ length: 12 }, () => `list ${randomUUID()}`.slice(0, 40));
    const made: string[] = [];
    for (const name of names) made.push((await newClazz(supervisor(), { name, lead_teacher_id: 'shown' }, 'draft')).id);
    const other = (await newClazz(supervisor(), { lead_teacher_id: 'not-shown' }, 'draft')).id;
    const count = async () => {
      const [row] = await fixture.sql<{ events: number }>(
        `select count(*)::int as events from clazz.log_entry where org_id = $1 and actor = 'list-reader'`,
        [org],
      );
      return row?.events;
    };
    const before = await verify();
    expect((await listAsReader('lead_teacher_id=shown&limit=100')).toSorted()).toEqual(made.toSorted());
    const after = await verify();
    expect([await count(), after.entries - before.entries]).toEqual([1, 1]);
    const read = { action: 'read', entity: 'clazz', entity_id: org, clazz_ids: made.toSorted() };
    for (const id of made)
      expect((await auditLogOf(id, 'actor_id=list-reader')).items).toMatchObject([{ ...read, clazz_id: id }]);
    expect((await auditLogOf(other, 'actor_id=list-reader')).items).toEqual([]);
    // Reading a single class adds an entry of that class.
    expectOk(await fixture.as({ role: 'TEACHER', sub: 'list-reader' }).get(`/clazz/${other}`));
    expect((await auditLogOf(other, 'actor_id=list-reader')).items).toMatchObject([
      { clazz_id: other, clazz_ids: null },
    ]);
    // An empty list adds no entry.
    await listAsReader('lead_teacher_id=nobody');
    expect(await count()).toBe(2);
    expect(await verify()).toMatchObject({ ok: true });
  });

  it('appears in order among the entries of the class, over pages and in the export', async () => {
    const draft = async (name: string): Promise<string> =>
      (await newClazz(supervisor(), { name, lead_teacher_id: 'paged' }, 'draft')).id;
    const [first, second] = await Promise.all([draft('one'), draft('two')]);
    for (let n = 0; n < 3; n += 1) {
      expectOk(await supervisor().patch(`/clazz/${first}`, { name: `one ${n}` }));
      await listAsReader('lead_teacher_id=paged');
      expectOk(await supervisor().patch(`/clazz/${second}`, { name: `two ${n}` }));
    }
    const shown = (rows: AuditEntry[]) => rows.map((row) => row.action);
    const whole = (await auditLogOf(first, 'limit=100')).items;
    expect(shown(whole)).toEqual(['read', 'update', 'read', 'update', 'read', 'update', 'create']);
    expect(await readAllPages(first)).toEqual(whole);
    expect(shown((await auditLogOf(first, 'action=read')).items)).toEqual(['read', 'read', 'read']);
    const [head, ...lines] = await exportLines(first);
    expect(head).toMatch(/,clazz_ids,texts,clazz_name,actor_name,clazz_names$/);
    expect(lines.filter((line) => line.includes(first) && line.includes(second))).toHaveLength(3);
  });
});

describe('audit entries', () => {
  it.each(['DATABASE_URL', 'WORKER_DATABASE_URL', 'MIGRATION_DATABASE_URL'])(
    'cannot be changed or removed by the role of %s',
    async (role) => {
      const { id } = await newClazz(supervisor());
      expect((await auditLogOf(id)).items).not.toEqual([]);
      const client = new pg.Client({ connectionString: fixture.envFor('clazz')[role] });
      await client.connect();
      try {
        await client.query("select set_config('app.org_id', $1, false)", [fixture.org]);
        for (const attempt of [
          `update clazz_audit_log set actor_id = 'x'`,
          'delete from clazz_audit_log',
          'truncate clazz_audit_log',
        ]) {
          await expect(client.query(attempt)).rejects.toThrow(/permission denied|never changed or removed/);
        }
      } finally {
        await client.end();
      }
    },
  );
});

describe('the audit chain', () => {
  /** Changes the audit log without its trigger, which only the owner of the database can do. */
  const tamper = async (sql: string, values: unknown[]): Promise<void> => {
    await fixture.sql('alter table clazz.clazz_audit_log disable trigger user');
    await fixture.sql(sql, values);
    await fixture.sql('alter table clazz.clazz_audit_log enable trigger user');
  };
  /** Audit events as a consumer receives them: of version 1, of version 2, and of lists. */
  const someEvents = (org: string, count: number): ReceivedEvent[] =>
    Array.from({ length: count }, (_, n) => {
      const clazz_id = randomUUID();
      const entry = { action: 'update', entity: 'clazz', entity_id: 'x', changes: { n: { before: null, after: n } } };
      const list = { clazz_id: null, clazz_ids: [clazz_id, randomUUID()] };
      const data = [
        { clazz_id, entries: [entry], reason: null },
        { entries: [{ ...entry, clazz_id, reason: 'r' }] },
        { entries: [{ ...entry, ...list, reason: null }] },
      ][n % 3];
      return {
        specversion: '1.0' as const,
        id: randomUUID(),
        source: '/clazz',
        type: `clazz.audit.recorded.v${n % 3 === 0 ? 1 : 2}`,
        subject: clazz_id,
        time: new Date(n).toISOString(),
        datacontenttype: 'application/json' as const,
        orgid: org,
        txid: randomUUID(),
        actor: 'a',
        requestid: 'r',
        data: { ...data, actor_roles: [], ip: null, trace_id: 't' },
      };
    });
  const withWorker = async (
    work: (deps: Parameters<typeof inWorkerTransaction>[0]) => Promise<void>,
  ): Promise<void> => {
    const url = fixture.envFor('clazz')['WORKER_DATABASE_URL'] ?? '';
    const pool = createPool(url, 8, 'test', createLogger('test', 'fatal'));
    try {
      await work({ pool, clock: () => new Date(), onEvents: () => {} });
    } finally {
      await pool.end();
    }
  };

  it('is valid after several consumers appended in parallel', async () => {
    const orgs = [randomUUID(), randomUUID()];
    const events = orgs.flatMap((org) => someEvents(org, 60));
    await withWorker(async (deps) => {
      const consume = (batch: ReceivedEvent[]) => inWorkerTransaction(deps, (tx) => appendEntries(batch)(tx, 0));
      const atOnce = (batches: ReceivedEvent[][]) => Promise.all(batches.map(consume));
      // All consumers create the heads in parallel, then continue them in parallel.
      const each = (n: number): ReceivedEvent[] => events.filter((_, index) => index % 12 === n);
      for (const from of [0, 6]) await atOnce(Array.from({ length: 6 }, (_, n) => each(from + n)));
    });
    for (const org of orgs) expect(await verify(org)).toMatchObject({ ok: true, entries: 60 });
  });

  it('is valid after a crash before the commit', async () => {
    const org = randomUUID();
    const events = someEvents(org, 5);
    await withWorker(async (deps) => {
      const crash = inWorkerTransaction(deps, async (tx) => {
        await appendEntries(events)(tx, 0);
        throw new Error('crash');
      });
      await expect(crash).rejects.toThrow('crash');
      expect(await verify(org)).toMatchObject({ ok: true, entries: 0 });
      await inWorkerTransaction(deps, (tx) => appendEntries(events)(tx, 0));
    });
    expect(await verify(org)).toMatchObject({ ok: true, entries: 5 });
  });

  it('is valid after another instance took over the lease', async () => {
    const org = randomUUID();
    const { id } = await newClazz(supervisor(org));
    const second = await fixture.startService('clazz');
    const writes = Array.from({ length: 60 }, (_, n) =>
      supervisor(org)
        .patch(`/clazz/${id}`, { name: `n ${n}` })
        .then((answer) => expectOk(answer)),
    );
    await writes[10];
    await fixture.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name in ('clazz lease', 'clazz worker') and pid <> pg_backend_pid()`);
    await Promise.all(writes);
    await expect.poll(async () => (await verify(org)).entries).toBe(62);
    expectOk(await supervisor(org).patch(`/clazz/${id}`, { name: 'last' }));
    await expect.poll(async () => (await verify(org)).entries).toBe(63);
    expect(await verify(org)).toMatchObject({ ok: true, entries: 63 });
    const head = expectOk(await supervisor(org).get('/clazz/audit-log/head'));
    expect(head).toMatchObject({ entries: 63, hash: (await verify(org)).head });
    const from = (hash: string) => supervisor(org).get(`/clazz/audit-log/verify?entries=63&hash=${hash}`);
    expect(expectOk(await from(head.hash))).toMatchObject({ ok: true, checked: { entries: 63 } });
    expectOk(await supervisor(org).get(`/clazz/${id}`));
    expect(expectOk(await from('0'.repeat(64)))).toMatchObject({ ok: false, first_broken: { seq: 64 } });
    expect(expectOk(await from(head.hash))).toMatchObject({ ok: true, checked: { entries: 64 } });
    await second.stop();
  });

  it('names the first changed entry, and detects a removed last entry', async () => {
    const org = randomUUID();
    const { id } = await newClazz(supervisor(org));
    expectOk(await postLesson(supervisor(org), id, '2033-01-01T10:00:00Z'), 201);
    expect(await verify(org)).toMatchObject({ ok: true, entries: 3 });
    const set = `update clazz.clazz_audit_log set actor_id = $2 where org_id = $1 and seq = 2`;
    await tamper(set, [org, 'another-person']);
    const { items } = expectOk(await supervisor(org).get(`/clazz/${id}/audit-log`));
    expect(await verify(org)).toMatchObject({ ok: false, first_broken: { seq: 2, id: items[1]?.id } });
    await tamper(set, [org, 'supervisor-1']);
    expect(await verify(org)).toMatchObject({ ok: true });
    await tamper('delete from clazz.clazz_audit_log where org_id = $1 and seq = 3', [org]);
    expect(await verify(org)).toMatchObject({ ok: false, first_broken: { seq: 3 } });
    expectRefusal(await fixture.as({ role: 'TEACHER', org }).get('/clazz/audit-log/verify'), 403, 'forbidden');
  });
});

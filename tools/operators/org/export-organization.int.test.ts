import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, assert, beforeAll, describe, expect, it, vi } from 'vitest';
import { auditCalls, clazzCalls, memberCalls } from '../../../libs/contracts/src/index.ts';
import { waitUntilCaughtUp } from '../../proofs/test/wait-caught-up.ts';
import { type Fixture, startFixture } from '../../proofs/test/fixture.ts';
import { orgTables, insertPlaceholders } from '../../proofs/test/hostile/tables.ts';
import { oneOfEach } from '../../proofs/test/one-of-each.ts';
import { POLL_OPTIONS } from '../../proofs/test/poll-options.ts';
import { asAdmin, asOwner } from './owner-session.ts';
import { exportOrg } from './export-organization.ts';
import { exclusionReason } from './excluded-tables.ts';
import type { Manifest } from './manifest.ts';
import { verifyExport } from './verify-export.ts';

const OTHER = randomUUID();
/** Steps of audit logs that are older than release 0.2.0: none here has any. */
const EMPTY = ['clazz.audit_anchor', 'clazz.audit_former'];
/** Part of every text of the other organization. */
const THEIRS = 'of the others';
let fixture: Fixture;
let folder: string;
let manifest: Manifest;
const to = () => join(folder, 'export');
const fileOf = (table: string): string => join(to(), manifest.tables.find((one) => one.table === table)?.file ?? '');
const linesOf = (table: string): Record<string, unknown>[] =>
  readFileSync(fileOf(table), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'teaching-export-'));
  fixture = await startFixture();
  await oneOfEach(fixture);
  const others: Fixture = { ...fixture, org: OTHER, as: (person) => fixture.as({ org: OTHER, ...person }) };
  await oneOfEach(others);
  const boss = fixture.as({ role: 'SUPERVISOR', org: OTHER });
  await boss.ok(clazzCalls.createClazz, { body: { name: THEIRS, lead_teacher_id: 'lee' } });
  await boss.ok(memberCalls.putMembers, {
    body: { members: [{ user_id: 'zoe', role: 'STUDENT', display_name: THEIRS }] },
  });
  await waitUntilCaughtUp(fixture);
  await vi.waitFor(
    async () => assert((await fixture.as({ role: 'SUPERVISOR' }).ok(auditCalls.getAuditLogHead)).complete),
    POLL_OPTIONS,
  );
  await insertPlaceholders(fixture, OTHER);
  manifest = await exportOrg({ adminUrl: fixture.adminUrl, org: fixture.org, to: to() });
});
afterAll(async () => {
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('An export', () => {
  it('has every table except the listed ones, each with all rows of the organization', async () => {
    const all = await orgTables(fixture);
    const wanted = all.map(({ service, name }) => ({
      service: service as 'clazz',
      name: name.split('.').at(-1) ?? '',
    }));
    const [left, kept] = [
      wanted.filter(exclusionReason),
      wanted.filter((table) => exclusionReason(table) === undefined),
    ];
    expect(manifest.tables.map(({ table }) => table)).toHaveLength(kept.length);
    expect(manifest.left_out).toHaveLength(left.length);
    expect(kept.length).toBeGreaterThan(45);
    for (const { table, rows } of manifest.tables) {
      const [there] = await fixture.sql<{ n: number }>(`select count(*)::int as n from ${table} where org_id = $1`, [
        fixture.org,
      ]);
      expect([table, rows]).toEqual([table, there?.n]);
      expect(linesOf(table)).toHaveLength(rows);
    }
    expect(manifest.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)).toEqual(EMPTY);
  });

  it('restores each row in Postgres unchanged', async () => {
    for (const { table, columns } of manifest.tables) {
      if (table.endsWith('.log_entry')) continue;
      const names = columns.map(({ name }) => `t."${name}"`).join(', ');
      const rows = `select row(${names})::text as row from`;
      const there = await fixture.sql(`${rows} ${table} as t where org_id = $1 order by 1`, [fixture.org]);
      const lines = JSON.stringify(linesOf(table));
      const text = `${rows} json_populate_recordset(null::${table}, $1) as t order by 1`;
      expect(await fixture.sql(text, [lines]), table).toEqual(there);
    }
  });

  it('has no row of another organization, and log entries in order', () => {
    for (const { file } of manifest.tables) {
      const text = readFileSync(join(to(), file), 'utf8');
      expect(text.includes(OTHER), file).toBe(false);
      expect(text.includes(THEIRS), file).toBe(false);
    }
    const entries = linesOf('clazz.log_entry').filter(({ log }) => log === 'domain');
    const before = entries.map(({ previous_id }) => previous_id);
    expect(before).toEqual([null, ...entries.map(({ id }) => id).slice(0, -1)]);
    const last = manifest.logs.find(({ service, log }) => service === 'clazz' && log === 'domain')?.last;
    expect(last).toEqual({ no: entries.at(-1)?.['no'], id: entries.at(-1)?.['id'] });
  });

  it('names the end of the audit log, like the API', async () => {
    const verified = await fixture.as({ role: 'SUPERVISOR' }).ok(auditCalls.verifyAuditLog);
    expect(manifest.trail).toMatchObject({ entries: verified.entries, hash: verified.head });
  });

  it('overwrites no other export, and removes what an interrupted run left', async () => {
    await expect(exportOrg({ adminUrl: fixture.adminUrl, org: fixture.org, to: to() })).rejects.toThrow('is there');
    const second = join(folder, 'second');
    const stopped = exportOrg({
      adminUrl: fixture.adminUrl,
      org: fixture.org,
      to: second,
      onProgress: ({ tables }) => {
        if (tables === 5) throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect([existsSync(second), existsSync(`${second}.part`)]).toEqual([false, true]);
    writeFileSync(join(`${second}.part`, 'left'), '');
    const again = await exportOrg({ adminUrl: fixture.adminUrl, org: fixture.org, to: second });
    expect(readdirSync(second)).not.toContain('left');
    expect(existsSync(`${second}.part`)).toBe(false);
    const sums = (one: Manifest) => one.tables.map(({ table, sha256 }) => [table, sha256]);
    expect(sums(again)).toEqual(sums(manifest));
  });

  it('shows one moment while others write', async () => {
    const boss = fixture.as({ role: 'SUPERVISOR' });
    let written = false;
    const beside = join(folder, 'beside');
    const one = await exportOrg({
      adminUrl: fixture.adminUrl,
      org: fixture.org,
      to: beside,
      onProgress: async () => {
        if (written) return;
        written = true;
        await boss.ok(clazzCalls.createClazz, { body: { name: 'Meanwhile', lead_teacher_id: 'lee' } });
      },
    });
    expect(written).toBe(true);
    const of = (name: string) => one.tables.find(({ table }) => table === name)?.rows;
    expect(of('clazz.clazz')).toBe(manifest.tables.find(({ table }) => table === 'clazz.clazz')?.rows);
    expect((await verifyExport(beside)).faults).toEqual([]);
  });
});

describe('The role that exports', () => {
  it('sees no row of another organization, for any statement', async () => {
    await asAdmin(fixture.adminUrl, async (client: pg.Client) => {
      for (const { service, name } of await orgTables(fixture)) {
        const seen = await asOwner(client, service as 'clazz', fixture.org, () =>
          client.query(`select from ${name} where org_id <> $1`, [fixture.org]),
        );
        expect([name, seen.rowCount]).toEqual([name, 0]);
      }
    });
  });
});

describe('Verifying an export without a database', () => {
  it('finds no fault in an unchanged export', async () => {
    expect((await verifyExport(to())).faults).toEqual([]);
  });

  /** Changes a file like an attacker who also changes its checksum in the manifest. */
  const changed = async (table: string, change: (text: string) => string): Promise<string[]> => {
    const file = fileOf(table);
    const text = readFileSync(file, 'utf8');
    const path = join(to(), 'manifest.json');
    const said = readFileSync(path, 'utf8');
    const { createHash } = await import('node:crypto');
    const after = change(text);
    assert(after !== text);
    try {
      writeFileSync(file, after);
      const { faults } = await verifyExport(to());
      expect(faults[0]).toBe(`${table.replace('.', '/')}.ndjson was changed`);
      const one = manifest.tables.find((it) => it.table === table);
      const sha256 = createHash('sha256').update(after).digest('hex');
      const rows = after.split('\n').length - 1;
      const tables = manifest.tables.map((it) =>
        it === one ? { ...it, sha256, rows, bytes: Buffer.byteLength(after) } : it,
      );
      writeFileSync(path, JSON.stringify({ ...manifest, tables }));
      return (await verifyExport(to())).faults;
    } finally {
      writeFileSync(file, text);
      writeFileSync(path, said);
    }
  };

  it('finds one changed byte of the audit log with a matching checksum', async () => {
    const of = (text: string): string => text.replace('"actor_id":"supervisor-1"', '"actor_id":"supervisor-2"');
    expect(await changed('clazz.clazz_audit_log', of)).toEqual([
      expect.stringMatching(/^entry \d+ of the audit log: its content does not match its hash$/),
    ]);
  });

  it('finds a removed entry, also the last one', async () => {
    const lines = (text: string): string[] => text.trimEnd().split('\n');
    const without = (from: number, to?: number) => (text: string) =>
      `${lines(text)
        .toSpliced(from, to ?? 1)
        .join('\n')}\n`;
    expect(await changed('clazz.clazz_audit_log', without(1))).toEqual([
      expect.stringMatching(/^entry 3 of the audit log: an entry before it is missing$/),
    ]);
    expect(await changed('clazz.clazz_audit_log', without(-1))).toEqual(['the audit log does not end in its head']);
  });

  it('finds a text beside the audit log that was changed or removed', async () => {
    expect((await changed('clazz.audit_text', (text) => text.replace('"text":"', '"text":"not '))).join()).toMatch(
      'does not match its digest',
    );
    expect((await changed('clazz.audit_text', () => '')).join()).toMatch('a text of it is missing');
  });

  it('finds a row of another organization', async () => {
    const more = (text: string): string => `${text}${(text.split('\n')[0] ?? '').replace(fixture.org, OTHER)}\n`;
    expect(await changed('clazz.clazz', more)).toEqual(['clazz/clazz.ndjson has 1 rows of other organizations']);
  });

  it('requires the manifest, which is written last', async () => {
    appendFileSync(join(folder, 'nothing'), '');
    await expect(verifyExport(folder)).rejects.toThrow('manifest.json');
  });
});

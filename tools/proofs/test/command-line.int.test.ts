import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '@teaching/local/compile-cache.ts';
import { createClient } from '../../../libs/client/src/index.ts';
import { auditCalls } from '../../../libs/contracts/src/index.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trailAsCsv } from '../../operators/audit/export.ts';
import { openAuditReader, type AuditReader } from '../../operators/audit/audit-reader.ts';
import { headsOf, verifyOrg } from '../../operators/audit/verify.ts';
import { growOrg } from '../../operators/seed/grow-organization.ts';
import { planOrgs, PRINCIPAL } from '../../operators/seed/plan.ts';
import { smallDisk } from '../system/small-disk.ts';
import { type Fixture, startFixture } from './fixture.ts';
import { inCheckout, runCli } from './run-tool.ts';
import { POLL_OPTIONS } from './poll-options.ts';

let fixture: Fixture;
let reading: AuditReader;
const [org, other] = planOrgs({ name: 'test', orgs: 2, students: 14, weeks: 1 });
if (org === undefined || other === undefined) throw new Error('planOrgs must return two organizations');
const folder = mkdtempSync(join(tmpdir(), 'teaching-audit-'));
/** Bytes of the smallest disk. */
const PAGE = 4_096;

beforeAll(async () => {
  fixture = await startFixture({ services: ['clazz'] });
  reading = await openAuditReader(fixture.envFor('clazz'));
});
afterAll(async () => {
  await reading?.close();
  await fixture?.stop();
  rmSync(folder, { recursive: true });
});

const token = (org_id: string): string => fixture.token({ role: 'SUPERVISOR', sub: PRINCIPAL, org: org_id });

/** Runs the seed and stops it after `after` classes. */
const grow = (planned: typeof org, after = Infinity): Promise<void> => {
  const stop = new AbortController();
  let done = 0;
  const client = createClient({ base_url: fixture.address, token: token(planned.org_id) });
  const onClazz = (): void => {
    done += 1;
    if (done >= after) stop.abort();
  };
  return growOrg({ client, weeks: 1, now: new Date(), onClazz, stop: stop.signal }, planned);
};

const COUNTS = `select
  (select count(*)::int from clazz.member where org_id = $1) as members,
  (select count(*)::int from clazz.clazz where org_id = $1 and status = 'active') as clazzes,
  (select count(*)::int from clazz.enrolment where org_id = $1) as enrolments,
  (select count(*)::int from clazz.hour_lot where org_id = $1) as lots,
  (select count(*)::int from clazz.lesson where org_id = $1) as lessons,
  (select count(*)::int from clazz.clazz_audit_log where org_id = $1 and action <> 'read') as changes`;
const counts = async (org_id: string) => {
  const [found] = await fixture.sql(COUNTS, [org_id]);
  return found;
};
/** Whether the audit chain contains every change so far. */
const isComplete = async (org_id: string): Promise<boolean> => {
  const api = fixture.as({ role: 'SUPERVISOR', sub: PRINCIPAL, org: org_id });
  return (await api.ok(auditCalls.getAuditLogHead, {})).complete;
};

describe('Seeding an organization', () => {
  it('continues after an interruption and changes nothing when everything exists', async () => {
    await grow(org, 1);
    await grow(org);
    await expect.poll(() => isComplete(org.org_id), POLL_OPTIONS).toBe(true);
    const made = await counts(org.org_id);
    expect(made).toMatchObject({ members: 16, clazzes: 2, enrolments: 14, lots: 14, lessons: 6 });
    await grow(org);
    await expect.poll(() => isComplete(org.org_id), POLL_OPTIONS).toBe(true);
    expect(await counts(org.org_id)).toEqual(made);
  });

  it('takes every roll call of past weeks', async () => {
    const client = createClient({ base_url: fixture.address, token: token(org.org_id) });
    expect((await client.listMissingRollCalls({})).data.items).toEqual([]);
    const held = await fixture.sql('select from clazz.lesson where org_id = $1 and ends_at < now()', [org.org_id]);
    expect(held.length).toBeGreaterThanOrEqual(2);
  });
});

const verify = (org_id: string) => verifyOrg(reading, org_id, () => undefined, new AbortController().signal);

describe('The audit command', () => {
  beforeAll(() => grow(other));

  it('verify: prints the same head of each chain as the service', async () => {
    const heads = [];
    for await (const { org_id } of headsOf(reading)) heads.push(org_id);
    expect(heads.toSorted()).toEqual([org.org_id, other.org_id].toSorted());
    const api = fixture.as({ role: 'SUPERVISOR', sub: PRINCIPAL, org: org.org_id });
    await expect.poll(() => isComplete(org.org_id), POLL_OPTIONS).toBe(true);
    const { ok, entries, head } = await api.ok(auditCalls.verifyAuditLog, {});
    expect(ok).toBe(true);
    expect(await verify(org.org_id)).toEqual({ org_id: org.org_id, entries, head });
  });

  it('export: writes every entry of one organization, none of another, and a complete file', async () => {
    await expect.poll(() => isComplete(org.org_id), POLL_OPTIONS).toBe(true);
    const { entries } = await verify(org.org_id);
    const file = join(folder, 'audit-log.csv');
    const ended = await runCli('audit export', fixture.envFor('clazz'), '--org', org.org_id, '--to', file);
    expect(ended).toMatchObject({ code: 0, out: '' });
    const text = readFileSync(file, 'utf8');
    expect(text.split('\r\n').filter(Boolean)).toHaveLength(entries + 1);
    expect(text).toContain(org.org_id);
    expect(text).not.toContain(other.org_id);
    let parts = '';
    for await (const { csv } of trailAsCsv(reading.ofOrg(org.org_id))) parts += csv;
    expect(parts).toBe(text);
  });

  it.skipIf(smallDisk(tmpdir(), PAGE) === undefined)('export: fails when its disk becomes full', () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const cli = [process.execPath, inCheckout('tools/cli.ts'), 'audit', 'export', '--org', org.org_id];
    const [program, ...args] = [...(smallDisk(disk, PAGE) ?? []), ...cli, '--to', join(disk, 'audit-log.csv')];
    const env = { PATH: process.env['PATH'], ...COMPILE_CACHE, ...fixture.envFor('clazz') };
    const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining('ENOSPC') });
  });

  it('verify: finds a missing entry, also at the end, and an entry of another organization', async () => {
    const changed = async (change: string) => {
      const holder = new pg.Client({ connectionString: fixture.adminUrl });
      await holder.connect();
      try {
        await holder.query('set session_replication_role = replica');
        await holder.query('create temporary table before as select * from clazz.clazz_audit_log');
        await holder.query(change);
        return [(await verify(other.org_id)).first_broken, (await verify(org.org_id)).first_broken?.seq];
      } finally {
        await holder.query('delete from clazz.clazz_audit_log; insert into clazz.clazz_audit_log select * from before');
        await holder.end();
      }
    };
    await expect.poll(() => isComplete(other.org_id), POLL_OPTIONS).toBe(true);
    const { entries } = await verify(other.org_id);
    const where = (seq: number): string => `where org_id = '${other.org_id}' and seq = ${seq}`;
    const gap = { seq: 5, why: 'an entry before it is missing' };
    expect(await changed(`delete from clazz.clazz_audit_log ${where(4)}`)).toMatchObject([gap, undefined]);
    const cut = { seq: entries, why: 'the chain does not end in its head' };
    expect(await changed(`delete from clazz.clazz_audit_log ${where(entries)}`)).toMatchObject([cut, undefined]);
    const away = `delete from clazz.clazz_audit_log where org_id = '${org.org_id}' and seq = 4`;
    const foreign = `${away}; update clazz.clazz_audit_log set org_id = '${org.org_id}' ${where(4)}`;
    expect(await changed(foreign)).toMatchObject([gap, 4]);
    const own = `${away.replace(org.org_id, other.org_id)}; update clazz.clazz_audit_log set org_id = '${other.org_id}' where org_id = '${org.org_id}' and seq = 4`;
    expect(await changed(own)).toMatchObject([{ seq: 4 }, 5]);
    expect((await verify(other.org_id)).first_broken).toBe(undefined);
  });

  it('verify: reports the position of a changed entry or an exchanged text and exits with 1', async () => {
    const [{ seq } = { seq: 0 }] = await fixture.sql<{ seq: number }>(
      'select seq::int from clazz.clazz_audit_log where org_id = $1 and texts is not null order by seq limit 1',
      [other.org_id],
    );
    await fixture.sql(
      "set session_replication_role = replica; update clazz.audit_text set text = 'another' where digest = (select texts -> 0 ->> 'digest' from clazz.clazz_audit_log where org_id = '" +
        `${other.org_id}' and seq = ${seq}); reset session_replication_role`,
    );
    expect((await verify(other.org_id)).first_broken).toMatchObject({ seq });
    await fixture.sql(
      `set session_replication_role = replica;
       update clazz.clazz_audit_log set actor_id = 'nobody' where org_id = '${other.org_id}' and seq = 3;
       reset session_replication_role`,
    );
    const result = await runCli('audit verify', fixture.envFor('clazz'));
    expect(result.code).toBe(1);
    expect(result.out).toContain(`${other.org_id}: BROKEN at entry 3: its content does not match its hash`);
    expect(result.out).toMatch(new RegExp(`^${org.org_id}: \\d+ entries, ends in [0-9a-f]{64}$`, 'm'));
    expect(result.out).toContain('2 chains, 1 broken.');
  });
});

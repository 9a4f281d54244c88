import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureDatabase, provisionBackup } from '../migrate/provision.ts';
import { type BackedUpPostgres, startBackedUpPostgres } from '../../proofs/drill/backed-up-postgres.ts';
import { waitFor, pause } from '../../proofs/system/poll.ts';
import { createPostgresServer, DATABASE, type PostgresServer } from '../../proofs/system/postgres-server.ts';
import { unpackedFromDebian } from '../../developers/setup/debian.mjs';
import { basesIn, UNFINISHED_PREFIX, walIn } from './archive.ts';
import { SLOT } from './server-state.ts';
import { takeBase, removeOldFiles } from './take-base.ts';
import { nameOf } from './wal.rules.ts';

const SEGMENT = 2 ** 24;
/** A base backup in progress. The keeper also writes a file of its own to test the folder. */
const HALF_BASE = new RegExp(`^\\${UNFINISHED_PREFIX}\\d`);
const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'teaching-backup-'));
  chmodSync(made, 0o755);
  folders.push(made);
  return made;
};
let server: PostgresServer;
let saving: BackedUpPostgres;

const write = (what: string) => server.sql('insert into kept values ($1)', [what]);
const kept = async (): Promise<string[]> =>
  (await server.sql<{ what: string }>('select what from kept order by what')).map(({ what }) => what);
const switchSegment = async (): Promise<void> => {
  await server.sql('create table if not exists filler (n int)');
  await server.sql('insert into filler values (1)');
  await server.sql('select pg_switch_wal()');
};
const stored = async (): Promise<string[]> =>
  (await walIn(saving.archive, SEGMENT)).filter((one) => one.isStored).map((one) => one.path);

/** The state of the cluster before each test: some tests lose it. */
const FRESH = 'fresh';
beforeAll(async () => {
  server = createPostgresServer(folder());
  await server.start();
  await ensureDatabase(server.adminUrl(), DATABASE);
  await server.sql('create table kept (what text primary key)');
  await server.stop();
  await server.copy(FRESH);
});
beforeEach(() => server.restoreCopy(FRESH));
afterEach(() => saving.end());
afterAll(async () => {
  await server?.end();
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

describe('An archive', () => {
  it('is restored to its end and to an instant, into an empty folder only', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    await write('a');
    await pause(20);
    const instant = new Date();
    await pause(20);
    await write('b');
    await saving.waitUntilArchived();
    const data = await server.deleteData();
    await saving.stop();
    const restored = await saving.restore(data, instant);
    expect(restored.is_end).toBe(false);
    await server.start();
    expect(await kept()).toEqual(['a']);
    await expect(saving.restore(data)).rejects.toThrow('is not empty');
    await saving.restore(await server.deleteData());
    await server.start();
    expect(await kept()).toEqual(['a', 'b']);
    // The restored cluster continues on a timeline of its own.
    saving.start();
    await saving.waitForBases(2);
    await write('c');
    await saving.waitUntilArchived();
    await saving.restore(await server.deleteData());
    await server.start();
    expect(await kept()).toEqual(['a', 'b', 'c']);
    await expect(saving.restore(folder(), new Date('2026-01-01T00:00:00Z'))).rejects.toThrow(
      'no base backup was finished by then',
    );
  });

  it('restores an instant in an idle night', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    await write('a');
    await saving.waitUntilArchived();
    const instant = new Date();
    await saving.waitUntilArchived();
    const restored = await saving.restore(await server.deleteData(), instant);
    expect(restored.is_end).toBe(true);
    await server.start();
    expect(await kept()).toEqual(['a']);
  });

  it('keeps the configured number of base backups, and the log since the oldest', async () => {
    saving = await startBackedUpPostgres(server, { keep: 2 });
    await saving.waitForBases(1);
    const names: string[] = [];
    for (const what of ['a', 'b', 'c']) {
      await write(what);
      await switchSegment();
      await waitFor('it is stored', async () => (await stored()).length > 0, 20_000);
      await pause(1_000);
      names.push((await takeBase(saving.archive, saving.programs, {})).name);
    }
    const before = (await stored()).length;
    await removeOldFiles(saving.archive, 2, SEGMENT);
    expect((await basesIn(saving.archive)).map(({ name }) => name)).toEqual(names.slice(1));
    expect((await stored()).length).toBeLessThan(before);
    expect(await saving.faults()).toEqual([]);
    await saving.restore(await server.deleteData());
    await server.start();
    expect(await kept()).toEqual(['a', 'b', 'c']);
  });

  it('reports a changed file and a gap in the log', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    for (const what of ['a', 'b', 'c']) {
      await write(what);
      await switchSegment();
    }
    await saving.waitUntilArchived();
    await waitFor('they are stored', async () => (await stored()).length >= 3, 20_000);
    await saving.stop();
    expect(await saving.faults()).toEqual([]);
    const [middle = ''] = (await stored()).toSorted().slice(1);
    rmSync(middle);
    expect(await saving.faults()).toEqual([expect.stringContaining('the log lacks 0000000100000000')]);
    await expect(saving.restore(folder())).rejects.toThrow('the archive lacks');
    const [base] = await basesIn(saving.archive);
    const file = base?.file ?? '';
    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(file, bytes);
    expect((await saving.faults()).length).toBe(2);
    await expect(saving.restore(folder())).rejects.toThrow(/corrupt|checksum|ended with/i);
  });

  it('starts again with a base backup when the server no longer has the missing log', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    await saving.waitUntilArchived();
    await saving.stop();
    await server.sql('select pg_drop_replication_slot($1)', [SLOT]);
    await write('a');
    for (let n = 0; n < 3; n += 1) await switchSegment();
    await server.sql('checkpoint');
    saving.start();
    await saving.waitForBases(2);
    await write('b');
    await saving.waitUntilArchived();
    expect(saving.warnings.join('\n')).toContain('the server retains no log for this archive');
    await saving.restore(await server.deleteData());
    await server.start();
    expect(await kept()).toEqual(['a', 'b']);
  });

  it('reports a full disk and loses nothing', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    await write('something');
    await saving.waitUntilArchived();
    const arriving = (await walIn(saving.archive, SEGMENT)).find(({ isPartial }) => isPartial);
    const next = nameOf(arriving?.segment ?? { timeline: 0, no: 0 }, SEGMENT);
    const before = (await stored()).length;
    symlinkSync('/dev/full', join(saving.archive.wal, `${next}.zst.half`));
    await write('a');
    await switchSegment();
    await waitFor('it says so', () => saving.warnings.join('\n').includes('the disk of the archive is full'), 20_000);
    await waitFor('it is stored', async () => (await stored()).length > before, 20_000);
    await saving.waitUntilArchived();
    expect(saving.state().trouble.size).toBe(0);
    expect(await saving.faults()).toEqual([]);
  });

  it('is reported as failing while it cannot be written, and loses nothing', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    const { folder: archive } = saving.archive;
    const why = () => saving.state().trouble.get('archive')?.includes(`${archive} cannot be written: ENOTDIR`) === true;
    renameSync(archive, `${archive}-away`);
    writeFileSync(archive, '');
    await waitFor('it says so', why, 20_000);
    await write('a');
    await switchSegment();
    await saving.stop();
    saving.start();
    await waitFor('it says so from the start', () => saving.state().trouble.has('archive'), 20_000);
    rmSync(archive);
    renameSync(`${archive}-away`, archive);
    await write('b');
    await saving.waitUntilArchived();
    await waitFor('all is well', () => saving.state().trouble.size === 0, 20_000);
    expect(await saving.faults()).toEqual([]);
    await saving.restore(await server.deleteData());
    await server.start();
    expect(await kept()).toEqual(['a', 'b']);
  });

  it('continues with an exchanged password, also after its connection is lost', async () => {
    const file = join(folder(), 'password');
    const exchange = async (password: string): Promise<void> => {
      writeFileSync(file, password);
      await provisionBackup(server.adminUrl(), password);
    };
    writeFileSync(file, 'the first of the backup');
    saving = await startBackedUpPostgres(server, { env: { PGPASSWORD_FILE: file } });
    await exchange('the first of the backup');
    await saving.waitForBases(1);
    await saving.waitUntilArchived();
    await exchange('the next of the backup');
    const cut = await server.sql(
      'select pg_terminate_backend(active_pid) as cut from pg_replication_slots where active',
    );
    expect(cut).toEqual([{ cut: true }]);
    await write('a');
    await saving.waitUntilArchived();
  });

  it('finishes the base backup in progress when the process is told to stop', async () => {
    saving = await startBackedUpPostgres(server);
    const { base } = saving.archive;
    await waitFor('one is begun', async () => existsSync(base) && readdirSync(base).length > 0, 20_000);
    await saving.stop();
    expect(await basesIn(saving.archive)).toHaveLength(1);
  });

  it('refuses another cluster', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    await saving.stop();
    writeFileSync(
      join(saving.archive.folder, 'archive.json'),
      JSON.stringify({ system_id: '1', segment_size: SEGMENT }),
    );
    saving.start();
    await waitFor(
      'it says so',
      () => saving.state().trouble.get('server')?.includes('another database cluster') === true,
      20_000,
    );
  });

  it('contains no partial base backup after a failure or a kill', async () => {
    saving = await startBackedUpPostgres(server);
    await saving.waitForBases(1);
    const broken = { ...saving.programs, env: { ...saving.programs.env, PGUSER: 'nobody' } };
    await expect(takeBase(saving.archive, broken, {})).rejects.toThrow('psql ended with');
    const shim = folder();
    const real = join(saving.programs.folder ?? '', 'pg_basebackup');
    for (const name of ['psql', 'pg_receivewal'])
      execFileSync('ln', ['-s', join(saving.programs.folder ?? '', name), join(shim, name)]);
    writeFileSync(
      join(shim, 'pg_basebackup'),
      `#!/bin/sh\n'${real}' "$@" | head -c 1000000\necho 'killed half way' >&2\nexit 1\n`,
      { mode: 0o755 },
    );
    await expect(takeBase(saving.archive, { ...saving.programs, folder: shim }, {})).rejects.toThrow('killed half way');
    expect(readdirSync(saving.archive.base).filter((name) => HALF_BASE.test(name))).toEqual([]);
    execFileSync('mkdir', [join(saving.archive.base, `${UNFINISHED_PREFIX}20261121T000000Z`)]);
    expect((await basesIn(saving.archive)).length).toBe(1);
    expect(await saving.faults()).toEqual([]);
  });
});

describe('An encrypted archive', () => {
  let bin: string;
  beforeAll(async () => {
    bin = join(await unpackedFromDebian('age'), 'usr/bin');
  });

  it('is readable with the identity only', async () => {
    const identity = join(folder(), 'identity');
    execFileSync(join(bin, 'age-keygen'), ['--output', identity], { stdio: 'ignore' });
    const recipient = execFileSync(join(bin, 'age-keygen'), ['-y', identity], { encoding: 'utf8' }).trim();
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    saving = await startBackedUpPostgres(server, { keys: { recipient }, env });
    await saving.waitForBases(1);
    await write('a secret that nobody reads');
    await switchSegment();
    await saving.waitUntilArchived();
    await waitFor('it is stored', async () => (await stored()).length > 0, 20_000);
    expect(await saving.faults()).toEqual([]);
    for (const path of [...(await stored()), ...(await basesIn(saving.archive)).map(({ file }) => file)])
      expect(readFileSync(path).subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    const data = await server.deleteData();
    await expect(saving.restore(data)).rejects.toThrow('name the file of the age identity');
    expect(existsSync(data)).toBe(false);
    saving.keys.identity = identity;
    expect(await saving.faults()).toEqual([]);
    await saving.restore(data);
    await server.start();
    expect(await kept()).toEqual(['a secret that nobody reads']);
  });
});

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@teaching/local/ports.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepArchive } from './backup-actions.ts';
import { type Archive, archiveAt } from './archive.ts';
import { Keeper } from './keeper.ts';

let root: string;
let archive: Archive;
let bin: string;
let stop: AbortController;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keeper-'));
  archive = archiveAt(join(root, 'archive'));
  bin = mkdtempSync(join(root, 'bin-'));
  // A Postgres that does not answer: these tests need none.
  writeFileSync(join(bin, 'psql'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  stop = new AbortController();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const startKeeper = (lines: string[]) => {
  const keeper = new Keeper({
    archive,
    programs: { folder: bin, env: process.env },
    keys: {},
    keep: 1,
    every_ms: 3_600_000,
    look_ms: 20,
    verify: false,
    log: (level, msg) => void lines.push(`${level} ${msg}`),
  });
  const running = keeper.run(stop.signal);
  const troubleOf = () => keeper.state.trouble.get('archive');
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { troubleOf, roomOf: () => keeper.state.room, end };
};

it('retries an archive that cannot be written at the start, and recovers when it can', async () => {
  writeFileSync(archive.folder, '');
  const lines: string[] = [];
  const { troubleOf, end } = startKeeper(lines);
  const why = `${archive.folder} cannot be written: EEXIST`;
  await expect.poll(troubleOf).toContain(why);
  expect(lines[0]).toContain(`error archive: ${why}`);
  rmSync(archive.folder);
  await expect.poll(troubleOf).toBeUndefined();
  expect(lines).toContain('info archive: healthy again');
  await end();
});

it('notices an archive that can no longer be written, and recovers later', async () => {
  const { troubleOf, end } = startKeeper([]);
  const away = join(root, 'away');
  await expect.poll(() => renameSync(archive.wal, away)).toBeUndefined();
  writeFileSync(archive.wal, '');
  await expect.poll(troubleOf).toContain(`${archive.wal} cannot be written: ENOTDIR`);
  rmSync(archive.wal);
  renameSync(away, archive.wal);
  await expect.poll(troubleOf).toBeUndefined();
  await end();
});

it('measures the disk of an archive that cannot be written', async () => {
  archive = archiveAt(mkdtempSync(join(root, 'archive-')));
  writeFileSync(archive.wal, '');
  const { troubleOf, roomOf, end } = startKeeper([]);
  await expect.poll(troubleOf).toContain(`${archive.wal} cannot be written`);
  await expect.poll(() => roomOf()?.size).toBeGreaterThan(0);
  await end();
});

it('is not ready while its archive cannot be written, and reports the reason', async () => {
  archive = archiveAt(mkdtempSync(join(root, 'archive-')));
  writeFileSync(archive.base, '');
  const port = await freePort();
  const env = { BACKUP_ARCHIVE: archive.folder, PG_BIN: bin, METRICS_PORT: String(port) };
  const lines: string[] = [];
  const kept = keepArchive({ env, print: (line) => lines.push(line), note: () => undefined }, stop.signal);
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${answer.status} ${await answer.text()}`;
  };
  await expect.poll(() => ask('/health/ready')).toContain(`503 {"archive":"${archive.base} cannot be written: `);
  await expect.poll(() => ask('/metrics')).toContain('teaching_backup_trouble{duty="archive"} 1\n');
  expect(lines.join('\n')).toContain(`archive: ${archive.base} cannot be written: `);
  stop.abort();
  await kept;
});

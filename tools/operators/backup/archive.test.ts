import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Archive, archiveAt, basesIn, checkWritable, HALF, makeFolders } from './archive.ts';

let root: string;
let archive: Archive;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'archive-'));
  archive = archiveAt(join(root, 'archive'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FOLDERS = ['folder', 'base', 'wal', 'incoming'] as const;

it('can be written once its folders are made, and nothing is left of the check', async () => {
  await makeFolders(archive);
  await checkWritable(archive);
  expect(readdirSync(archive.folder, { recursive: true }).toSorted()).toEqual(['base', 'incoming', 'wal']);
});

it.each(FOLDERS)('names the folder %s that is no folder, and why', async (which) => {
  await makeFolders(archive);
  renameSync(archive[which], join(root, 'away'));
  writeFileSync(archive[which], '');
  await expect(checkWritable(archive)).rejects.toThrow(`${archive[which]} cannot be written: ENOTDIR`);
});

it.each(FOLDERS)('names the folder %s that has no room, and why', async (which) => {
  await makeFolders(archive);
  symlinkSync('/dev/full', join(archive[which], `${HALF}written`));
  await expect(checkWritable(archive)).rejects.toThrow(`${archive[which]} cannot be written: ENOSPC`);
});

it('does not make a folder again that is gone', async () => {
  await makeFolders(archive);
  rmSync(archive.folder, { recursive: true });
  await expect(checkWritable(archive)).rejects.toThrow(`${archive.folder} cannot be written: ENOENT`);
  expect(existsSync(archive.folder)).toBe(false);
});

it('names the folder that cannot be made, and why', async () => {
  writeFileSync(archive.folder, '');
  await expect(makeFolders(archiveAt(join(archive.folder, 'within')))).rejects.toThrow(
    `${join(archive.folder, 'within')} cannot be written: ENOTDIR`,
  );
});

it('counts a check that was interrupted as no base backup', async () => {
  await makeFolders(archive);
  writeFileSync(join(archive.base, `${HALF}written`), 'x');
  expect(await basesIn(archive)).toEqual([]);
  await checkWritable(archive);
});

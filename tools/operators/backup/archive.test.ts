import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Archive, archiveAt, basesIn, checkWritable, UNFINISHED_PREFIX, makeFolders } from './archive.ts';

let root: string;
let archive: Archive;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'archive-'));
  archive = archiveAt(join(root, 'archive'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FOLDERS = ['folder', 'base', 'wal', 'incoming'] as const;

it('can be written once its folders exist, and leaves no file of the check', async () => {
  await makeFolders(archive);
  await checkWritable(archive);
  expect(readdirSync(archive.folder, { recursive: true }).toSorted()).toEqual(['base', 'incoming', 'wal']);
});

it.each(FOLDERS)('names the folder %s that is a file, with the reason', async (which) => {
  await makeFolders(archive);
  renameSync(archive[which], join(root, 'away'));
  writeFileSync(archive[which], '');
  await expect(checkWritable(archive)).rejects.toThrow(`${archive[which]} cannot be written: ENOTDIR`);
});

it.each(FOLDERS)('names the folder %s without space, with the reason', async (which) => {
  await makeFolders(archive);
  symlinkSync('/dev/full', join(archive[which], `${UNFINISHED_PREFIX}written`));
  await expect(checkWritable(archive)).rejects.toThrow(`${archive[which]} cannot be written: ENOSPC`);
});

it('does not create a folder again that was removed', async () => {
  await makeFolders(archive);
  rmSync(archive.folder, { recursive: true });
  await expect(checkWritable(archive)).rejects.toThrow(`${archive.folder} cannot be written: ENOENT`);
  expect(existsSync(archive.folder)).toBe(false);
});

it('names a folder that cannot be created, with the reason', async () => {
  writeFileSync(archive.folder, '');
  await expect(makeFolders(archiveAt(join(archive.folder, 'within')))).rejects.toThrow(
    `${join(archive.folder, 'within')} cannot be written: ENOTDIR`,
  );
});

it('does not count an interrupted check as a base backup', async () => {
  await makeFolders(archive);
  writeFileSync(join(archive.base, `${UNFINISHED_PREFIX}written`), 'x');
  expect(await basesIn(archive)).toEqual([]);
  await checkWritable(archive);
});

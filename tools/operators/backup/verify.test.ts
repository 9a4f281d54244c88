import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unpackBase } from './verify.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
  for (const one of ['from', 'into', 'bin']) mkdirSync(join(folder, one));
  writeFileSync(join(folder, 'bin', 'pg_verifybackup'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A stored base backup with one file, and so many bytes after the end mark of its archive. */
const storedBase = (behind: number) => {
  writeFileSync(join(folder, 'from', 'a'), 'a');
  const archive = execFileSync('tar', ['--create', '--file=-', `--directory=${join(folder, 'from')}`, '.']);
  const file = join(folder, 'base.tar.zst');
  const content = zstdCompressSync(Buffer.concat([archive, randomBytes(behind)]));
  writeFileSync(file, content);
  return { file, sha256: createHash('sha256').update(content).digest('hex') };
};
const unpack = (base: { file: string; sha256: string }) =>
  unpackBase(base, { folder: join(folder, 'bin'), env: process.env }, {}, join(folder, 'into'));

it('unpacks a base backup that tar stops reading before its end', async () => {
  // tar stops at the end mark, so it may end before its input does.
  await unpack(storedBase(2 ** 23));
  expect(readFileSync(join(folder, 'into', 'a'), 'utf8')).toBe('a');
});

it('refuses a base backup that is not what was stored, though tar reads it', async () => {
  const base = storedBase(2 ** 23);
  await expect(unpack({ ...base, sha256: '' })).rejects.toThrow(`${base.file} is not what was stored`);
});

it('names a base backup that tar cannot read', async () => {
  const file = join(folder, 'base.tar.zst');
  writeFileSync(file, zstdCompressSync(randomBytes(2 ** 20)));
  await expect(unpack({ file, sha256: '' })).rejects.toThrow(`${file} cannot be unpacked: tar ended with 2`);
});

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { unpackBase } from './verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'verify-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a base backup that goes on after its end is called corrupt, though what reads it ends well', async () => {
  const [from, into] = [join(folder, 'from'), join(folder, 'into')];
  for (const one of [from, into]) mkdirSync(one);
  writeFileSync(join(from, 'a'), 'a');
  const archive = execFileSync('tar', ['--create', '--file=-', `--directory=${from}`, '.']);
  const file = join(folder, 'base.tar.zst');
  writeFileSync(file, zstdCompressSync(Buffer.concat([archive, Buffer.alloc(1 << 16), randomBytes(1 << 23)])));
  const base = { file, sha256: '' };
  await expect(unpackBase(base, { env: {} }, {}, into)).rejects.toThrow(`${file} is corrupt`);
});

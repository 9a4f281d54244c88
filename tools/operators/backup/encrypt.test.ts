import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { readStored } from './encrypt.ts';

const folder = mkdtempSync(join(tmpdir(), 'seal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = join(folder, 'stored.zst.age');
writeFileSync(FILE, zstdCompressSync(Buffer.alloc(2 ** 20, 'some content')));
const KEYS = { identity: join(folder, 'identity') };
/** A folder with a program `age` that runs the script. */
const withAge = (script: string) => {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, 'age'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { env: { PATH: `${bin}:${process.env['PATH']}` } };
};
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

it.each([
  ['reads nothing', `echo "age: error: reading ${KEYS.identity}" >&2; exit 1`],
  ['reads a part', `head -c 5 >/dev/null; echo "age: error: reading ${KEYS.identity}" >&2; exit 1`],
  ['reads all', `cat >/dev/null; echo "age: error: reading ${KEYS.identity}" >&2; exit 1`],
])('names the file and repeats the error of an age that %s and fails', async (_how, script) => {
  const unsealed = readStored(withAge(script), KEYS, FILE, nowhere());
  await expect(unsealed).rejects.toThrow(
    `${FILE} cannot be unpacked: age ended with 1: age: error: reading ${KEYS.identity}`,
  );
});

it('reports that age is not installed', async () => {
  const unsealed = readStored({ env: { PATH: folder } }, KEYS, FILE, nowhere());
  await expect(unsealed).rejects.toThrow(`${FILE} cannot be unpacked: age cannot be run`);
});

it('throws the error of the file, not that of an age without input', async () => {
  const missing = join(folder, 'missing.zst.age');
  const unsealed = readStored(withAge('cat; echo "unexpected end" >&2; exit 1'), KEYS, missing, nowhere());
  await expect(unsealed).rejects.toThrow(`${missing} cannot be unpacked: ENOENT`);
});

it('throws the error of a full disk, not that of an interrupted age', async () => {
  const full = createWriteStream('/dev/full');
  await expect(readStored(withAge('cat'), KEYS, FILE, full)).rejects.toThrow(`${FILE} cannot be unpacked: ENOSPC`);
});

it('names an encrypted file for which there is no identity', async () => {
  await expect(readStored({ env: {} }, {}, FILE, nowhere())).rejects.toThrow(
    `${FILE} cannot be unpacked: it is encrypted`,
  );
});

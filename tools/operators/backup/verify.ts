import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Archive, type Base, basesIn, identityOf, walIn } from './archive.ts';
import { neededFrom } from './plan.rules.ts';
import { ended, inputOf, type Programs, run, wordsOf } from './programs.ts';
import { type Keys, measureStored, unpackError, readStored } from './encrypt.ts';
import { nameOf } from './wal.rules.ts';

/** Whether a base backup can be read without a key that is missing here. */
const isReadable = ({ file }: Base, { identity }: Keys): boolean => !file.endsWith('.age') || identity !== undefined;

/** Unpacks a base backup into a folder and compares every file with the server's manifest. */
export const unpackBase = async (
  base: Pick<Base, 'file' | 'sha256'>,
  programs: Programs,
  keys: Keys,
  into: string,
): Promise<void> => {
  const tar = spawn('tar', ['--extract', '--file=-', `--directory=${into}`], { stdio: ['pipe', 'ignore', 'pipe'] });
  const end = ended(tar, 'tar', wordsOf(tar));
  const input = inputOf(tar, end);
  // If the file cannot be read, tar must not wait for more of it.
  const read = readStored(programs, keys, base.file, input).finally(() => input.destroy());
  const [found, extracted] = await Promise.allSettled([read, end]);
  if (found.status === 'rejected') throw found.reason;
  if (extracted.status === 'rejected') throw unpackError(base.file, extracted.reason);
  if (found.value.sha256 !== base.sha256) throw new Error(`${base.file} is not what was stored: its checksum differs`);
  await run(programs, 'pg_verifybackup', ['--no-parse-wal', '--quiet', into]);
};

/**
 * Throws unless a base backup equals its checksum and, where it can be read here, every file in it equals the manifest. It is
 * unpacked beside the archive.
 */
export const checkBase = async (archive: Archive, base: Base, programs: Programs, keys: Keys): Promise<void> => {
  if (!isReadable(base, keys)) {
    const { sha256 } = await measureStored(base.file);
    if (sha256 !== base.sha256) throw new Error(`${base.file} is not what was stored: its checksum differs`);
    return;
  }
  const scratch = await mkdtemp(join(archive.folder, '.verify-'));
  try {
    await unpackBase(base, programs, keys, scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

/** The faults of an archive, one line each; none if every base backup can be restored to the end of its timeline. */
export const faultsOf = async (archive: Archive, programs: Programs, keys: Keys): Promise<string[]> => {
  const identity = await identityOf(archive);
  const bases = await basesIn(archive);
  if (identity === undefined || bases.length === 0) return [`${archive.folder} holds no finished base backup`];
  const { segment_size } = identity;
  const there = (await walIn(archive, segment_size)).map((one) => one.segment);
  const faults: string[] = [];
  for (const base of bases) {
    await checkBase(archive, base, programs, keys).catch((error: unknown) => {
      faults.push(`${base.name}: ${error instanceof Error ? error.message : String(error)}`);
    });
    const { missing } = neededFrom(base, [{ timeline: base.timeline, until: undefined }], there, segment_size);
    if (missing !== undefined) faults.push(`${base.name}: the log lacks ${nameOf(missing, segment_size)}`);
  }
  return faults;
};

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { ended, inputOf, launch, outputOf, type Programs, wordsOf } from './programs.ts';

/** The keys of an archive: files are encrypted for the recipient and read with the identity (age, age-encryption.org). */
export interface Keys {
  /** An age recipient. Without one, files are stored unencrypted. */
  recipient?: string | undefined;
  /** The file of an age identity: needed to restore and to verify, not to back up. */
  identity?: string | undefined;
}

export interface StoredFile {
  bytes: number;
  sha256: string;
}

const PLAIN = '.zst';
const SECRET = '.zst.age';
export const endingFor = ({ recipient }: Keys): string => (recipient === undefined ? PLAIN : SECRET);
/** The original name of a stored file; undefined if it is none. */
export const storedName = (file: string): string | undefined => /^(.+)\.zst(\.age)?$/.exec(file)?.[1];

const measured = (stored: StoredFile): Transform => {
  const hash = createHash('sha256');
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      stored.bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
    flush: (done) => {
      stored.sha256 = hash.digest('hex');
      done();
    },
  });
};

/**
 * Pipes `from` through the program `age` to `to`. If a stream fails, age fails as well; the error of the stream is thrown, because
 * it is the cause.
 */
const throughAge = async (
  programs: Programs,
  args: readonly string[],
  from: readonly [Readable, ...Transform[]],
  to: readonly [...Transform[], Writable],
): Promise<void> => {
  const child = launch({ env: programs.env }, 'age', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const end = ended(child, 'age', wordsOf(child));
  const parts = [end, pipeline([...from, inputOf(child, end)]), pipeline([outputOf(child, end), ...to])];
  const failures = (await Promise.allSettled(parts)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const [ofAge] = failures;
  if (failures.length > 0) throw failures.find((one) => one !== ofAge) ?? ofAge;
};

/** Flushes a file to disk, so that its final name always means complete content. */
export const flushToDisk = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r');
  await handle.sync();
};

/** Stores a stream, compressed and, with a recipient, encrypted: completely under its name, or not at all. */
export const storeFile = async (programs: Programs, keys: Keys, from: Readable, to: string): Promise<StoredFile> => {
  const half = `${to}.half`;
  const stored: StoredFile = { bytes: 0, sha256: '' };
  const write = (): Writable => createWriteStream(half, { mode: 0o600 });
  try {
    const clear = [from, createZstdCompress()] as const;
    const rest = [measured(stored), write()] as const;
    if (keys.recipient === undefined) await pipeline([...clear, ...rest]);
    else await throughAge(programs, ['--encrypt', '--recipient', keys.recipient], clear, rest);
    await flushToDisk(half);
    await rename(half, to);
    await flushToDisk(dirname(to));
    return stored;
  } catch (cause) {
    // If the disk fails, this fails too; the first error has the reason.
    await rm(half, { force: true }).catch(() => undefined);
    throw new Error(`${to} cannot be stored: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
};

export const unpackError = (path: string, cause: unknown): Error =>
  new Error(`${path} cannot be unpacked: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

/** Writes the content of a stored file to `to` and returns its size and checksum for comparison. Errors name the file. */
export const readStored = async (programs: Programs, keys: Keys, path: string, to: Writable): Promise<StoredFile> => {
  const stored: StoredFile = { bytes: 0, sha256: '' };
  const from = () => [createReadStream(path), measured(stored)] as const;
  const rest = () => [createZstdDecompress(), to] as const;
  try {
    if (!path.endsWith(SECRET)) await pipeline([...from(), ...rest()]);
    else if (keys.identity === undefined)
      throw new Error('it is encrypted: name the file of the age identity by BACKUP_AGE_IDENTITY_FILE');
    else await throughAge(programs, ['--decrypt', '--identity', keys.identity], from(), rest());
  } catch (error) {
    throw unpackError(path, error);
  }
  return stored;
};

/** Size and checksum of a stored file. */
export const measureStored = async (path: string): Promise<StoredFile> => {
  const stored: StoredFile = { bytes: 0, sha256: '' };
  await pipeline(createReadStream(path), measured(stored).resume());
  return stored;
};

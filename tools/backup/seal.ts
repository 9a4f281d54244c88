import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { ended, launch, type Programs, wordsOf } from './programs.ts';

/** For whom files are encrypted, and who may read them again (age, age-encryption.org). */
export interface Keys {
  /** An age recipient: its holder alone can read what is stored. None: files are stored readable. */
  recipient?: string | undefined;
  /** The file of an age identity: needed to restore and to verify, not to back up. */
  identity?: string | undefined;
}

export interface Stored {
  bytes: number;
  sha256: string;
}

const PLAIN = '.zst';
const SECRET = '.zst.age';
export const endingFor = ({ recipient }: Keys): string => (recipient === undefined ? PLAIN : SECRET);
/** The name a stored file had before it was stored, or undefined when it is none. */
export const storedName = (file: string): string | undefined => /^(.+)\.zst(\.age)?$/.exec(file)?.[1];

const measured = (stored: Stored): Transform => {
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
 * Sends what `from` gives through the program `age` to `to`. When several things fail, the one that made the others fail is
 * told.
 */
const throughAge = async (
  programs: Programs,
  args: readonly string[],
  from: readonly [Readable, ...Transform[]],
  to: readonly [...Transform[], Writable],
): Promise<void> => {
  const child = launch({ env: programs.env }, 'age', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('age has no streams');
  const parts = [pipeline([stdout, ...to]), ended(child, 'age', wordsOf(child)), pipeline([...from, stdin])];
  const failed = (await Promise.allSettled(parts)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

/** On the disk for good, so that the name that follows stands for the whole of it. */
export const settle = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r');
  await handle.sync();
};

/** Stores what a stream gives, compressed and, with a recipient, encrypted: whole under its name, or not at all. */
export const store = async (programs: Programs, keys: Keys, from: Readable, to: string): Promise<Stored> => {
  const half = `${to}.half`;
  const stored: Stored = { bytes: 0, sha256: '' };
  const write = (): Writable => createWriteStream(half, { mode: 0o600 });
  try {
    const clear = [from, createZstdCompress()] as const;
    const rest = [measured(stored), write()] as const;
    if (keys.recipient === undefined) await pipeline([...clear, ...rest]);
    else await throughAge(programs, ['--encrypt', '--recipient', keys.recipient], clear, rest);
    await settle(half);
    await rename(half, to);
    await settle(dirname(to));
    return stored;
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
};

/** Gives back what was stored; answers what the file was, for whoever compares. */
export const unseal = async (programs: Programs, keys: Keys, path: string, to: Writable): Promise<Stored> => {
  const stored: Stored = { bytes: 0, sha256: '' };
  const read = [createReadStream(path), measured(stored)] as const;
  if (!path.endsWith(SECRET)) await pipeline(...read, createZstdDecompress(), to);
  else if (keys.identity === undefined)
    throw new Error(`${path} is encrypted: name the file of the age identity by BACKUP_AGE_IDENTITY_FILE`);
  else await throughAge(programs, ['--decrypt', '--identity', keys.identity], read, [createZstdDecompress(), to]);
  return stored;
};

/** What a stored file is now. */
export const measure = async (path: string): Promise<Stored> => {
  const stored: Stored = { bytes: 0, sha256: '' };
  await pipeline(createReadStream(path), measured(stored).resume());
  return stored;
};

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Archive, type Base, basesIn, UNFINISHED_PREFIX, removeBase, walIn, writeAtomically } from './archive.ts';
import { isNeeded, retainedBases, neededFrom } from './plan.rules.ts';
import { ended, launch, outputOf, type Programs, wordsOf } from './programs.ts';
import { endingFor, type Keys, flushToDisk, storeFile } from './encrypt.ts';
import { queryServer, type ServerState } from './server-state.ts';
import { lsnText, nameOf } from './wal.rules.ts';

/** The folder of a base backup whose process was killed. */
const ABANDONED_MS = 3_600_000;

const removeAbandoned = async ({ base }: Archive): Promise<void> => {
  for (const name of await readdir(base)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    const files = await readdir(join(base, name)).catch(() => []);
    const paths = [name, ...files.map((file) => join(name, file))].map((it) => join(base, it));
    // A folder that disappears meanwhile is not abandoned.
    const times = await Promise.all(
      paths.map((path) =>
        stat(path).then(
          (it) => it.mtimeMs,
          () => Date.now(),
        ),
      ),
    );
    if (Math.max(...times) < Date.now() - ABANDONED_MS) await rm(join(base, name), { recursive: true, force: true });
  }
};

/** Streams the data directory as one tar archive into one file. If it is encrypted, nothing of it is written unencrypted. */
const stream = async (programs: Programs, keys: Keys, folder: string) => {
  const args = ['--pgdata=-', '--format=tar', '--wal-method=none', '--checkpoint=fast', '--no-password'];
  const child = launch(programs, 'pg_basebackup', [...args, '--manifest-checksums=SHA256', '--label=teaching'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = ended(child, 'pg_basebackup', wordsOf(child));
  const path = join(folder, `base.tar${endingFor(keys)}`);
  const [stored] = await Promise.all([storeFile(programs, keys, outputOf(child, end), path), end]);
  return { ...stored, file: `base.tar${endingFor(keys)}` };
};

const COVERED_MS = 600_000;
const LOOK_MS = 200;

/** Waits until the archive has the log of a base backup from its beginning to its end; without it the backup is useless. */
const untilCovered = async (archive: Archive, made: Base, server: ServerState, programs: Programs): Promise<void> => {
  const until = Date.now() + COVERED_MS;
  const way = [{ timeline: made.timeline, until: undefined }];
  for (;;) {
    const confirmed = (await queryServer(programs)).slot?.confirmed;
    const there = (await walIn(archive, server.segment_size)).map((one) => one.segment);
    const { missing } = neededFrom(made, way, there, server.segment_size);
    if (confirmed !== undefined && confirmed >= made.to && missing === undefined) return;
    if (Date.now() > until) {
      const what = missing === undefined ? `the log up to ${lsnText(made.to)}` : nameOf(missing, server.segment_size);
      throw new Error(`the archive does not get ${what}, which the base backup needs`);
    }
    await pause(LOOK_MS);
  }
};

/** Makes a base backup. It gets its name when it is complete, is on disk, and has its log. */
export const takeBase = async (archive: Archive, programs: Programs, keys: Keys): Promise<Base> => {
  await removeAbandoned(archive);
  const before = await queryServer(programs);
  const name = before.at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const half = join(archive.base, `${UNFINISHED_PREFIX}${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(half, { mode: 0o700 });
  try {
    const { file, bytes, sha256 } = await stream(programs, keys, half);
    const after = await queryServer(programs);
    if (after.timeline !== before.timeline) throw new Error('the server changed its timeline meanwhile');
    const { timeline, version: server_version, at: started_at, flushed: from } = before;
    const { flushed: to, at: finished_at } = after;
    const made = { name, timeline, from, to, started_at, finished_at, server_version, file, bytes, sha256 };
    await untilCovered(archive, made, after, programs);
    await writeAtomically(join(half, 'backup.json'), { ...made, from: lsnText(from), to: lsnText(to) });
    await flushToDisk(half);
    await rename(half, join(archive.base, name));
    await flushToDisk(archive.base);
    return { ...made, file: join(archive.base, name, file) };
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    throw error;
  }
};

/** Removes base backups beyond the newest `keep`, and log that none of the others needs. */
export const removeOldFiles = async (archive: Archive, keep: number, size: number): Promise<number> => {
  const bases = await basesIn(archive);
  const kept = retainedBases(bases, keep);
  const goes = bases.filter((base) => !kept.includes(base));
  for (const base of goes) await removeBase(archive, base);
  if (kept.length > 0)
    for (const { path, segment, isStored } of await walIn(archive, size))
      if (isStored && !isNeeded(segment, kept, size)) await rm(path);
  return goes.length;
};

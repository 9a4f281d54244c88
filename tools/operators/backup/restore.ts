import { createWriteStream, existsSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, readdir, readFile, rename, rm, rmdir, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Archive, type Base, basesIn, historiesIn, identityOf, untilOf, type WalFile, walIn } from './archive.ts';
import { baseFor, neededFrom } from './plan.rules.ts';
import type { Programs } from './programs.ts';
import { type Owner, type Recovered, recover } from './recover.ts';
import { type Keys, readStored } from './encrypt.ts';
import { unpackBase } from './verify.ts';
import { historyName, nameOf, type TimelineRange, wayTo } from './wal.rules.ts';

export interface RestoreOptions {
  archive: Archive;
  /** The data directory; it must be empty or missing. */
  into: string;
  /** The instant to restore; by default the end of the archive. */
  to?: Date | undefined;
  /** The timeline to follow; by default the newest. */
  timeline?: number | undefined;
  programs: Programs;
  keys: Keys;
  /** The system user of Postgres, if it differs from this process's. */
  owner?: Owner | undefined;
  say: (line: string) => void;
}

export interface Restored extends Recovered {
  base: string;
  segments: number;
  /** Milliseconds for unpacking and checking the base backup, for fetching the log, and for applying it. */
  ms: { base: number; wal: number; recovery: number };
}

const refuseToOverwrite = async (into: string): Promise<void> => {
  if (existsSync(into) && (await readdir(into)).length > 0)
    throw new Error(`${into} is not empty: nothing is overwritten. Move it away, or name another folder`);
};

const wayIn = async (archive: Archive, wanted: number | undefined): Promise<TimelineRange[]> => {
  const histories = await historiesIn(archive);
  const timeline = wanted ?? Math.max(1, ...histories.keys());
  const file = histories.get(timeline);
  if (file === undefined && timeline !== 1 && histories.size > 0)
    throw new Error(`the archive has no timeline ${timeline}`);
  return wayTo(timeline, file === undefined ? '' : await readFile(file, 'utf8'));
};

const chooseBase = async (archive: Archive, way: readonly TimelineRange[], to: Date | undefined): Promise<Base> => {
  const bases = await basesIn(archive);
  // A first timeline has no history: a backup of a cluster that was restored before is on its own.
  const base = baseFor(bases, way, to);
  if (base !== undefined) return base;
  const first = bases[0];
  if (first === undefined) throw new Error(`${archive.folder} holds no finished base backup`);
  throw new Error(`no base backup was finished by then: the first one was on ${first.finished_at.toISOString()}`);
};

/** The best file of each segment: a filled one before one that was not. */
const bySegment = (files: readonly WalFile[], size: number): Map<string, WalFile> =>
  new Map(
    files
      .toSorted((a, b) => Number(b.isPartial) - Number(a.isPartial))
      .map((file) => [nameOf(file.segment, size), file]),
  );

/** Unpacks the log after a base backup into a folder, under Postgres' own names. */
const bringWal = async (
  options: RestoreOptions,
  base: Base,
  way: readonly TimelineRange[],
  size: number,
  into: string,
) => {
  const { archive, programs, keys, to, say } = options;
  const files = bySegment(await walIn(archive, size), size);
  const there = [...files.values()].map((one) => one.segment);
  const { segments, missing } = neededFrom(base, way, there, size);
  if (missing !== undefined) {
    const gap = `the archive lacks ${nameOf(missing, size)}`;
    if (to === undefined)
      throw new Error(`${gap}: what came after it cannot be restored. Name an instant before by --to`);
    say(`${gap}: nothing after it can be restored`);
  }
  const room = await statfs(into);
  if (room.bavail * room.bsize < segments.length * size)
    throw new Error(`${into} has no room for ${segments.length} segments of the log (${segments.length * size} bytes)`);
  for (const segment of segments) {
    const name = nameOf(segment, size);
    const file = files.get(name);
    if (file === undefined) continue;
    const target = join(into, name);
    if (file.isStored) await readStored(programs, keys, file.path, createWriteStream(target));
    else await copyFile(file.path, target);
  }
  for (const [timeline, path] of await historiesIn(archive))
    if (way.some((one) => one.timeline === timeline)) await copyFile(path, join(into, historyName(timeline)));
  return segments.length;
};

const give = async (path: string, { uid, gid }: Owner): Promise<void> => {
  for (const entry of await readdir(path, { recursive: true })) await chown(join(path, entry), uid, gid);
  await chown(path, uid, gid);
};

const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const begun = performance.now();
  return [await work(), Math.round(performance.now() - begun)];
};

/**
 * Restores a cluster: the base backup, then the log up to the wanted instant. The data directory gets its name at the end, and can
 * be started then.
 */
export const restore = async (options: RestoreOptions): Promise<Restored> => {
  const { archive, into, to, say, owner } = options;
  await refuseToOverwrite(into);
  const identity = await identityOf(archive);
  if (identity === undefined) throw new Error(`${archive.folder} is no archive of backups`);
  const way = await wayIn(archive, options.timeline);
  const base = await chooseBase(archive, way, to);
  say(`base backup ${base.name}, finished ${base.finished_at.toISOString()}`);
  await mkdir(dirname(into), { recursive: true });
  const half = join(dirname(into), `.${basename(into)}.restoring`);
  const wal = `${half}.wal`;
  for (const folder of [half, wal]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
  }
  try {
    const [, baseMs] = await timed(() => unpackBase(base, options.programs, options.keys, half));
    say(`unpacked, and every file matches the server's manifest (${baseMs} ms)`);
    const [segments, walMs] = await timed(() => bringWal(options, base, way, identity.segment_size, wal));
    say(`${segments} segments of the log are unpacked (${walMs} ms)`);
    await chmod(half, 0o700);
    if (owner !== undefined) for (const folder of [half, wal]) await give(folder, owner);
    const timeline = way.at(-1)?.timeline ?? base.timeline;
    const [found, recovery] = await timed(() => recover({ ...options, data: half, wal, timeline }));
    const until = await untilOf(archive);
    if (to !== undefined && found.is_end && (until === undefined || until < to))
      say(
        `the archive reaches only to ${until?.toISOString() ?? 'an unknown instant'}, which is before the wanted one`,
      );
    if (existsSync(into)) await rmdir(into);
    await rename(half, into);
    return { base: base.name, segments, ...found, ms: { base: baseMs, wal: walMs, recovery } };
  } finally {
    for (const folder of [half, wal]) await rm(folder, { recursive: true, force: true });
  }
};

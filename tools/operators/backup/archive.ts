import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseFacts } from './plan.rules.ts';
import { flushToDisk, storedName } from './encrypt.ts';
import { type Lsn, lsnOf, type Segment, segmentOf, timelineOfHistory } from './wal.rules.ts';

/**
 * A folder with base backups (`base/<name>/backup.json` beside the data), the write-ahead log since the oldest of them (`wal/`),
 * and the log that still arrives (`incoming/`, where pg_receivewal writes).
 */
export interface Archive {
  folder: string;
  base: string;
  wal: string;
  incoming: string;
}

/** The database cluster of an archive. */
export interface Identity {
  system_id: string;
  /** Bytes. */
  segment_size: number;
}

/** A finished base backup, as described by its `backup.json`. */
export interface Base extends BaseFacts {
  started_at: Date;
  server_version: string;
  file: string;
  bytes: number;
  sha256: string;
}

/** Prefix of a folder or file that is not finished. */
export const UNFINISHED_PREFIX = '.half-';

export const archiveAt = (folder: string): Archive => ({
  folder,
  base: join(folder, 'base'),
  wal: join(folder, 'wal'),
  incoming: join(folder, 'incoming'),
});

const writeInto = async (folder: string, write: () => Promise<unknown>): Promise<void> => {
  try {
    await write();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${folder} cannot be written: ${why}`, { cause });
  }
};

export const makeFolders = async ({ folder, base, wal, incoming }: Archive): Promise<void> => {
  await writeInto(folder, () => mkdir(folder, { recursive: true }));
  for (const one of [base, wal, incoming]) await writeInto(one, () => mkdir(one, { recursive: true, mode: 0o700 }));
};

/** Throws unless a file can be written into each folder of an archive. The error names the folder. Creates no folder. */
export const checkWritable = async ({ folder, base, wal, incoming }: Archive): Promise<void> => {
  for (const one of [folder, base, wal, incoming])
    await writeInto(one, async () => {
      const file = join(one, `${UNFINISHED_PREFIX}written`);
      await writeFile(file, 'x', { mode: 0o600 });
      await rm(file);
    });
};

/** Writes a file so that a reader finds either the former or the new content. */
export const writeAtomically = async (path: string, content: unknown): Promise<void> => {
  await writeFile(`${path}.half`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  await flushToDisk(`${path}.half`);
  await rename(`${path}.half`, path);
};

const fieldsIn = async (path: string): Promise<Record<string, unknown>> => {
  const content: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (typeof content !== 'object' || content === null) throw new Error(`${path} is not as it was written`);
  return { ...content };
};
const textOf = (fields: Record<string, unknown>, name: string): string => {
  const value = fields[name];
  if (typeof value !== 'string') throw new Error(`${name} is missing`);
  return value;
};
const numberOf = (fields: Record<string, unknown>, name: string): number => {
  const value = fields[name];
  if (typeof value !== 'number') throw new Error(`${name} is missing`);
  return value;
};
const instantOf = (fields: Record<string, unknown>, name: string): Date => {
  const at = new Date(textOf(fields, name));
  if (Number.isNaN(at.getTime())) throw new Error(`${name} is no instant`);
  return at;
};

const identityFile = ({ folder }: Archive): string => join(folder, 'archive.json');

export const identityOf = async (archive: Archive): Promise<Identity | undefined> => {
  if (!existsSync(identityFile(archive))) return undefined;
  const fields = await fieldsIn(identityFile(archive));
  return { system_id: textOf(fields, 'system_id'), segment_size: numberOf(fields, 'segment_size') };
};

/** Records the cluster of the archive. Throws if the archive belongs to another one: their logs must not be mixed. */
export const claimArchive = async (archive: Archive, { system_id, segment_size }: Identity): Promise<void> => {
  const known = await identityOf(archive);
  if (known === undefined) await writeAtomically(identityFile(archive), { system_id, segment_size });
  else if (known.system_id !== system_id)
    throw new Error(
      `${archive.folder} holds backups of another database cluster (${known.system_id}, this one is ${system_id}): name an empty folder`,
    );
};

const untilFile = ({ folder }: Archive): string => join(folder, 'until.json');

/** Records the instant up to which the archive has every commit. */
export const recordUntil = (archive: Archive, until: Date): Promise<void> =>
  writeAtomically(untilFile(archive), { until });

export const untilOf = async (archive: Archive): Promise<Date | undefined> =>
  existsSync(untilFile(archive)) ? instantOf(await fieldsIn(untilFile(archive)), 'until') : undefined;

const lsn = (fields: Record<string, unknown>, name: string): Lsn => lsnOf(textOf(fields, name));

const readBase = async (archive: Archive, name: string): Promise<Base> => {
  const fields = await fieldsIn(join(archive.base, name, 'backup.json'));
  return {
    name,
    timeline: numberOf(fields, 'timeline'),
    from: lsn(fields, 'from'),
    to: lsn(fields, 'to'),
    started_at: instantOf(fields, 'started_at'),
    finished_at: instantOf(fields, 'finished_at'),
    server_version: textOf(fields, 'server_version'),
    file: join(archive.base, name, textOf(fields, 'file')),
    bytes: numberOf(fields, 'bytes'),
    sha256: textOf(fields, 'sha256'),
  };
};

/** All finished base backups, oldest first. */
export const basesIn = async (archive: Archive): Promise<Base[]> => {
  if (!existsSync(archive.base)) throw new Error(`${archive.folder} holds no backups`);
  const names = (await readdir(archive.base)).filter((name) => !name.startsWith(UNFINISHED_PREFIX));
  const bases = await Promise.all(names.map((name) => readBase(archive, name)));
  return bases.toSorted((a, b) => a.finished_at.getTime() - b.finished_at.getTime());
};

export const removeBase = ({ base }: Archive, { name }: Base): Promise<void> =>
  rm(join(base, name), { recursive: true, force: true });

/** A file of the write-ahead log in the archive. A segment that was never filled ends with `.partial`. */
export interface WalFile {
  path: string;
  segment: Segment;
  isPartial: boolean;
  isStored: boolean;
}

const PARTIAL = '.partial';

const walFile = (folder: string, file: string, size: number, isStored: boolean): WalFile | undefined => {
  const name = isStored ? storedName(file) : file;
  const isPartial = name?.endsWith(PARTIAL) === true;
  const segment = segmentOf(name?.slice(0, isPartial ? -PARTIAL.length : undefined) ?? '', size);
  return segment === undefined ? undefined : { path: join(folder, file), segment, isPartial, isStored };
};

const filesIn = async (folder: string): Promise<string[]> => (existsSync(folder) ? readdir(folder) : []);

export const walIn = async (archive: Archive, size: number): Promise<WalFile[]> => {
  const stored = (await filesIn(archive.wal)).flatMap((file) => walFile(archive.wal, file, size, true) ?? []);
  const arriving = (await filesIn(archive.incoming)).flatMap(
    (file) => walFile(archive.incoming, file, size, false) ?? [],
  );
  return [...stored, ...arriving];
};

/** The history file of each timeline that has one. */
export const historiesIn = async (archive: Archive): Promise<Map<number, string>> => {
  const found = new Map<number, string>();
  for (const folder of [archive.wal, archive.incoming])
    for (const file of await filesIn(folder)) {
      const timeline = timelineOfHistory(file);
      if (timeline !== undefined) found.set(timeline, join(folder, file));
    }
  return found;
};

import { randomUUID } from 'node:crypto';
import { textAt } from '../system/plain-api.ts';
import { waitFor, pause } from '../system/poll.ts';
import { type Random, randomOf } from './random.ts';
import { createWriteRecord, type WriteRecord } from './write-record.ts';
import { createSchool, type School } from './school.ts';
import type { System } from '../system/start-system.ts';
import { createWriter, type Writer } from './writer.ts';

export interface Load {
  record: WriteRecord;
  writer: Writer;
  schools: readonly School[];
  /** Errors of reads that were answered `included: true` without the write of their token. */
  tooEarly: string[];
  /** Number of reads with a token that were answered `included: true`. */
  included: () => number;
  start: () => void;
  /** Notes that the Postgres of the sources was copied at this time, in epoch milliseconds. */
  noteCopy: (at: number) => void;
  /** Notes that Postgres was restored to that copy and was killed at `until`, in epoch milliseconds. */
  noteRestore: (until: number) => void;
  /** Ends the writers and resolves when the outcome of their last writes is known. */
  stop: () => Promise<void>;
  /** Runs the writers for `ms` milliseconds. */
  writeFor: (ms: number) => Promise<void>;
  /** Runs the writers until `count` more writes are acknowledged. */
  writeCount: (count: number) => Promise<void>;
}

export interface LoadOptions {
  seed: number;
  orgs?: number;
  /** Number of writers per organization. */
  writers?: number;
  /** Milliseconds between two writes of a writer. */
  restMs?: number;
}

const SETTLE_MS = 60_000;
const WRITES_MS = 120_000;
const PROBE_EVERY = 15;

/** Writes to a student that no other write concerns, then reads with its token, so the expected figure is known. */
const probe = async (system: System, writer: Writer, org: string, stopped: () => boolean) => {
  const student_id = `probe-${randomUUID().slice(0, 8)}`;
  const body = { student_id, hours: '7.25' };
  const evidence = (created: unknown): string[] => [`lot ${textAt(created, 'id')}`];
  const made = await writer.write({ kind: 'grant', path: '/clazz/hour/grant', org, body, evidence }, stopped);
  if (made.status !== 201 || made.token === undefined) return undefined;
  const path = `/clazz/stats/my-lessons?student_id=${student_id}`;
  const read = await system.api({ path, org, consistencyToken: made.token });
  if (read.status !== 200 || JSON.stringify(read.body).includes('"included":false')) return undefined;
  const granted = textAt(read.body, 'hours', 'granted');
  return granted === '7.25' ? '' : `org ${org} ${student_id}: included, but granted is ${granted || 'nothing'}`;
};

export const createLoad = async (system: System, options: LoadOptions): Promise<Load> => {
  const { seed, orgs = 3, writers = 2, restMs = 15 } = options;
  const record = createWriteRecord(Array.from({ length: orgs }, () => randomUUID()));
  const writer = createWriter(system.api, record);
  const schools = record.orgs.map((org) => createSchool(org, writer));
  await Promise.all(schools.map((school) => school.begin()));
  const tooEarly: string[] = [];
  let included = 0;
  let running: Promise<void>[] = [];
  let stopping = true;
  let since = Number.POSITIVE_INFINITY;
  const stopped = (): boolean => stopping;

  const run = async (school: School, random: Random): Promise<void> => {
    for (let n = random.below(PROBE_EVERY); !stopped(); n += 1) {
      if (n % PROBE_EVERY === 0) {
        const error = await probe(system, writer, school.org, stopped);
        if (error !== undefined) included += 1;
        if (error !== undefined && error !== '') tooEarly.push(error);
      } else await school.act(random, stopped);
      await pause(restMs);
    }
  };
  const load: Load = {
    record,
    writer,
    schools,
    tooEarly,
    included: () => included,
    start: () => {
      if (!stopping) return;
      stopping = false;
      running = schools.flatMap((school, s) =>
        Array.from({ length: writers }, (_, w) => run(school, randomOf(seed + s * 100 + w))),
      );
    },
    noteCopy: (at) => void (since = at),
    noteRestore: (until) => record.noteRestore(since, until),
    stop: async () => {
      stopping = true;
      await Promise.all(running);
      running = [];
      const open = await writer.settle(SETTLE_MS);
      if (open > 0) throw new Error(`${open} writes have no answer although all parts run`);
    },
    writeFor: async (ms) => {
      load.start();
      await pause(ms);
      await load.stop();
    },
    writeCount: async (count) => {
      const wanted = record.acknowledged() + count;
      load.start();
      await waitFor(`${count} more writes are acknowledged`, () => record.acknowledged() >= wanted, WRITES_MS);
      await load.stop();
    },
  };
  return load;
};

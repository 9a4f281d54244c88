import { randomUUID } from 'node:crypto';
import { type Answer, at, textAt } from '../system/plain-api.ts';
import { checkAgreement } from '../faults/check-agreement.ts';
import { createLoad, type Load } from '../faults/load.ts';
import { holdsWithin, waitFor } from '../system/poll.ts';
import { summary } from '../faults/scenario.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';
import type { Restored } from '../../operators/backup/restore.ts';
import { createLeavers, type RepeatedAction } from './repeat-revocations.ts';
import { createReader, type OutsideReader, readerFault } from './reader.ts';
import { type BackedUpPostgres, startBackedUpPostgres } from './backed-up-postgres.ts';

/** How one act ended: what is wrong, what was seen, and what took how long. */
export interface CaseResult {
  wrong: string[];
  notes: string[];
  /** Milliseconds by what was done. */
  ms: Record<string, number>;
}

/** One way to lose a system and to get it back. */
export interface RestoreCase {
  name: string;
  about: string;
  play: (stage: Stage) => Promise<void>;
}

/** A system with writers, backups and somebody outside who reads its events. */
export interface Stage {
  system: System;
  load: Load;
  saving: BackedUpPostgres;
  reader: OutsideReader;
  writes: number;
  played: CaseResult;
  timed: <T>(what: string, work: () => Promise<T>) => Promise<T>;
}

const WITHIN_MS = 60_000;

/** Source, statistics, trail, tokens and the reader outside agree. */
const compare = async ({ system, load, reader, played, timed }: Stage): Promise<void> => {
  const { wrong, figures } = await timed('agree', () => checkAgreement(system, load, WITHIN_MS));
  played.wrong.push(...(wrong.length === 0 ? [] : [summary(wrong)]));
  await timed('outside', () => waitFor('all is published', () => isPublished(system), WITHIN_MS));
  // A broker that lost its store has no stream until somebody leads, and publishes what the table says is published.
  const differs = async (): Promise<string[]> => {
    await reader.read();
    return readerFault(system, 'clazz', reader);
  };
  if (!(await holdsWithin(async () => (await differs()).length === 0, WITHIN_MS)))
    played.wrong.push(...(await differs()));
  played.notes.push(`${load.record.acknowledged()} writes and ${figures} figures agree`);
};

const isPublished = async ({ postgres }: System): Promise<boolean> => {
  const [row] = await postgres.sql<{ all: boolean }>(
    `select published_no >= no as all from clazz.log_head where log = 'domain'`,
  );
  return row?.all === true;
};

const believe = async (stage: Stage): Promise<void> => {
  const { reader, system } = stage;
  await waitFor('all is published', () => isPublished(system), WITHIN_MS);
  await reader.read();
};

/** Postgres' disk is gone; what comes back is from the archive. */
const restorePostgres = async ({ system, saving, timed, played }: Stage, to?: Date): Promise<Restored> => {
  const into = await system.postgres.lose();
  await saving.stop();
  const restored = await timed('restore', () => saving.restore(into, to));
  const { segments, last_commit, timeline } = restored;
  played.notes.push(`restored to ${last_commit} on timeline ${timeline} with ${segments} segments`);
  return restored;
};

/** The story that will be left, restored by itself where no service reaches it: what of it has to be done again. */
const askLeftStory = async ({ system, saving, timed }: Stage, text: string): Promise<RepeatedAction[]> => {
  for (const { toPostgres } of system.instances) toPostgres?.set('cut');
  const into = await system.postgres.lose();
  await saving.stop();
  return timed('look', async () => {
    await saving.restore(into);
    await system.postgres.start();
    return system.postgres.sql<RepeatedAction & Record<string, unknown>>(text);
  });
};

const serveAgain = async ({ system, timed, saving }: Stage): Promise<void> => {
  await timed('serve', () => system.heal());
  saving.start();
};

/** After a restoration the archive goes on by itself: another base backup, and the log of the new timeline. */
const savedAgain = async ({ saving, load, played, timed }: Stage, count: number): Promise<void> => {
  await load.writes(20);
  await timed('save again', async () => {
    await saving.bases(count);
    await saving.complete();
  });
  played.wrong.push(...(await saving.faults()));
};

const epochsAre = async ({ system, played }: Stage, least: number): Promise<void> => {
  for (const service of ['clazz', 'course', 'package']) {
    const rows = await system.postgres.sql<{ log: string; epoch: number }>(
      `select log, epoch from ${service}.log_head`,
    );
    for (const { log, epoch } of rows)
      if (epoch < least) played.wrong.push(`the ${log} log of ${service} is still in epoch ${epoch}`);
  }
};

/** The whole archive, nothing from the broker: nobody is left who could say that something is missing. */
const toTheEnd: RestoreCase = {
  name: 'to the end, broker empty',
  about: 'Postgres and the broker lose their disks; Postgres is restored to the end of the archive',
  play: async (stage) => {
    const { load, saving, system, writes } = stage;
    await load.writes(writes);
    await saving.complete();
    await believe(stage);
    await restorePostgres(stage);
    await system.nats.loseStore();
    await serveAgain(stage);
    await compare(stage);
    await epochsAre(stage, 1);
    await savedAgain(stage, 2);
    await compare(stage);
  },
};

/** A write that will be lost, and may be sent again under its key. */
const createLost = ({ load, system }: Stage) => {
  const write = load.record.begin('grant', load.record.orgs[0] ?? '', 'yes');
  const { org, request_id: requestId, idempotency_key: idempotencyKey } = write;
  const student_id = `late-${randomUUID().slice(0, 8)}`;
  const ask = { path: '/clazz/hour/grant', org, requestId, idempotencyKey, body: { student_id, hours: '3.00' } };
  return {
    org,
    student_id,
    send: (): Promise<Answer> => system.api({ method: 'POST', ...ask }),
    /** From now on it counts as any other. */
    isDone: (answer: Answer): void => {
      const done = { done: true, mayBeGone: false, answered_at: Date.now() };
      Object.assign(write, done, { evidence: [`lot ${textAt(answer.body, 'id')}`] });
    },
  };
};

/** Streams, and those who read them, know what never happened. */
const toAnInstant: RestoreCase = {
  name: 'to an instant, streams ahead',
  about: 'Postgres is restored to an instant before some writes; the streams and their readers know of them',
  play: async (stage) => {
    const { load, saving, system, writes, played } = stage;
    await load.writes(writes);
    const leavers = await createLeavers(system);
    await saving.complete();
    const to = new Date();
    load.copied(to.getTime());
    await load.writes(writes);
    await leavers.leave();
    const lost = createLost(stage);
    const made = await lost.send();
    if (made.status !== 201) throw new Error(`the write that is to be lost was answered by ${made.status}`);
    await saving.complete();
    await believe(stage);
    const told = await askLeftStory(stage, leavers.askedFor(to));
    const restored = await restorePostgres(stage, to);
    load.wentBack(Date.now());
    if (restored.last_commit !== undefined && new Date(restored.last_commit) > to)
      played.wrong.push(`restored to ${restored.last_commit}, which is after ${to.toISOString()}`);
    await serveAgain(stage);
    await leavers.areBack();
    played.wrong.push(...(await leavers.playAgain(told)));
    played.notes.push(`${told.length} sign-outs, leavings and erasures came back and were done again`);
    await compare(stage);
    await epochsAre(stage, 2);
    const path = `/clazz/stats/my-lessons?student_id=${lost.student_id}`;
    const read = await system.api({ path, org: lost.org, ...(made.token === undefined ? {} : { seen: made.token }) });
    if (at(read.body, 'included') !== false) played.wrong.push('the token of a lost write is not told to be gone');
    const again = await lost.send();
    if (again.status !== 201 || at(again.body, 'id') === at(made.body, 'id'))
      played.wrong.push(`a lost write that is sent again is answered by ${again.status}`);
    else lost.isDone(again);
    if (stage.reader.dropped() === 0) played.wrong.push('the reader outside was not told what never happened');
    await savedAgain(stage, 3);
  },
};

/** Both disks of one moment. */
const together: RestoreCase = {
  name: 'the whole, of one moment',
  about: "Postgres is restored to the instant at which the broker's store was copied, and both come back",
  play: async (stage) => {
    const { load, saving, system, writes } = stage;
    await load.writes(writes);
    await saving.complete();
    await believe(stage);
    const to = new Date();
    load.copied(to.getTime());
    await system.nats.copy('drill');
    await load.writes(writes);
    await saving.complete();
    await restorePostgres(stage, to);
    load.wentBack(Date.now());
    await system.nats.putBack('drill');
    await serveAgain(stage);
    await load.writes(writes);
    await compare(stage);
    await epochsAre(stage, 3);
  },
};

export const RESTORE_CASES: readonly RestoreCase[] = [toTheEnd, toAnInstant, together];

export interface DrillOptions {
  seed: number;
  /** Writes before and after what is done. */
  writes: number;
  /** Is told how each act ended. */
  onPlayed: (act: RestoreCase, played: CaseResult) => void;
}

/** Plays all acts one after the other on one system of its own. */
export const runRestoreTest = async ({ seed, writes, onPlayed }: DrillOptions): Promise<void> => {
  const system = await startSystem({ checkout: OWN_CHECKOUT });
  try {
    const saving = await startBackedUpPostgres(system.postgres);
    try {
      const load = await createLoad(system, { seed });
      const reader = createReader(system, 'clazz');
      await load.writes(writes);
      await saving.bases(1);
      for (const act of RESTORE_CASES) {
        const played: CaseResult = { wrong: [], notes: [], ms: {} };
        const timed: Stage['timed'] = async (what, work) => {
          const begun = performance.now();
          const result = await work();
          played.ms[what] = (played.ms[what] ?? 0) + Math.round(performance.now() - begun);
          return result;
        };
        await act.play({ system, load, saving, reader, writes, played, timed }).catch((error: unknown) => {
          played.wrong.push(error instanceof Error ? error.message : String(error));
        });
        onPlayed(act, played);
      }
    } finally {
      await saving.end();
    }
  } finally {
    await system.end();
  }
};

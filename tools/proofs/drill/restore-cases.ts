import { randomUUID } from 'node:crypto';
import { type Answer, fieldAt, textAt } from '../system/plain-api.ts';
import { checkAgreement } from '../faults/check-agreement.ts';
import { createLoad, type Load } from '../faults/load.ts';
import { holdsWithin, waitFor } from '../system/poll.ts';
import { summary } from '../faults/scenario.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';
import type { Restored } from '../../operators/backup/restore.ts';
import { createRevokedMembers, type Revocation } from './repeat-revocations.ts';
import { createReader, type OutsideReader, readerDifferences } from './reader.ts';
import { type BackedUpPostgres, startBackedUpPostgres } from './backed-up-postgres.ts';

/** The result of one restore case: faults, observations and durations. */
export interface CaseResult {
  faults: string[];
  notes: string[];
  /** Milliseconds by step. */
  ms: Record<string, number>;
}

/** One way to lose a system and to restore it. */
export interface RestoreCase {
  name: string;
  about: string;
  run: (stage: Stage) => Promise<void>;
}

/** A system with writers, a backup and an outside reader of its events. */
export interface Stage {
  system: System;
  load: Load;
  backup: BackedUpPostgres;
  reader: OutsideReader;
  writes: number;
  result: CaseResult;
  timed: <T>(what: string, work: () => Promise<T>) => Promise<T>;
}

const WITHIN_MS = 60_000;

/** Checks that sources, statistics, audit log, tokens and the outside reader agree. */
const compare = async ({ system, load, reader, result, timed }: Stage): Promise<void> => {
  const { differences, figures } = await timed('compare', () => checkAgreement(system, load, WITHIN_MS));
  result.faults.push(...(differences.length === 0 ? [] : [summary(differences)]));
  await timed('outside reader', () => waitFor('all events are published', () => isPublished(system), WITHIN_MS));
  // A broker that lost its store has no stream until an instance becomes the leader. The leader then publishes the log.
  const differs = async (): Promise<string[]> => {
    await reader.read();
    return readerDifferences(system, 'clazz', reader);
  };
  if (!(await holdsWithin(async () => (await differs()).length === 0, WITHIN_MS)))
    result.faults.push(...(await differs()));
  result.notes.push(`${load.record.acknowledged()} writes and ${figures} figures agree`);
};

const isPublished = async ({ postgres }: System): Promise<boolean> => {
  const [row] = await postgres.sql<{ all: boolean }>(
    `select published_no >= no as all from clazz.log_head where log = 'domain'`,
  );
  return row?.all === true;
};

const readAllEvents = async (stage: Stage): Promise<void> => {
  const { reader, system } = stage;
  await waitFor('all events are published', () => isPublished(system), WITHIN_MS);
  await reader.read();
};

/** Replaces the lost disk of Postgres by a restore from the archive. */
const restorePostgres = async ({ system, backup, timed, result }: Stage, to?: Date): Promise<Restored> => {
  const into = await system.postgres.deleteData();
  await backup.stop();
  const restored = await timed('restore', () => backup.restore(into, to));
  const { segments, last_commit, timeline } = restored;
  result.notes.push(`restored to ${last_commit} on timeline ${timeline} with ${segments} segments`);
  return restored;
};

/** Restores the end of the archive where no service reaches it, and lists the revocations that must be repeated. */
const listRevocations = async ({ system, backup, timed }: Stage, text: string): Promise<Revocation[]> => {
  for (const { toPostgres } of system.instances) toPostgres?.set('cut');
  const into = await system.postgres.deleteData();
  await backup.stop();
  return timed('inspect', async () => {
    await backup.restore(into);
    await system.postgres.start();
    return system.postgres.sql<Revocation & Record<string, unknown>>(text);
  });
};

const startServices = async ({ system, timed, backup }: Stage): Promise<void> => {
  await timed('start', () => system.heal());
  backup.start();
};

/** After a restore the backup continues without help: with another base backup and the log of the new timeline. */
const waitForBackup = async ({ backup, load, result, timed }: Stage, count: number): Promise<void> => {
  await load.writeCount(20);
  await timed('back up again', async () => {
    await backup.waitForBases(count);
    await backup.waitUntilArchived();
  });
  result.faults.push(...(await backup.faults()));
};

/** A log begins its new epoch when an instance of its service becomes the leader, which agreement does not wait for. */
const checkEpochs = async ({ system, result }: Stage, least: number): Promise<void> => {
  const oldEpochs = async (): Promise<string[]> => {
    const read = (service: string) =>
      system.postgres.sql<{ log: string; epoch: number }>(`select log, epoch from ${service}.log_head`);
    const faults: string[] = [];
    for (const service of ['clazz', 'course', 'package'])
      for (const { log, epoch } of await read(service))
        if (epoch < least) faults.push(`the ${log} log of ${service} is still in epoch ${epoch}`);
    return faults;
  };
  if (!(await holdsWithin(async () => (await oldEpochs()).length === 0, WITHIN_MS)))
    result.faults.push(...(await oldEpochs()));
};

/** Restores the whole archive while the broker is empty, so nothing shows whether an event is missing. */
const toTheEnd: RestoreCase = {
  name: 'to the end of the archive, with an empty broker',
  about: 'Postgres and the broker lose their disks, and Postgres is restored to the end of the archive',
  run: async (stage) => {
    const { load, backup, system, writes } = stage;
    await load.writeCount(writes);
    await backup.waitUntilArchived();
    await readAllEvents(stage);
    await restorePostgres(stage);
    await system.nats.deleteStore();
    await startServices(stage);
    await compare(stage);
    await checkEpochs(stage, 1);
    await waitForBackup(stage, 2);
    await compare(stage);
  },
};

/** Prepares a write that the restore will lose and that its caller can repeat with the same key. */
const prepareLostWrite = ({ load, system }: Stage) => {
  const write = load.record.begin('grant', load.record.orgs[0] ?? '', 'yes');
  const { org, request_id: requestId, idempotency_key: idempotencyKey } = write;
  const student_id = `late-${randomUUID().slice(0, 8)}`;
  const ask = { path: '/clazz/hour/grant', org, requestId, idempotencyKey, body: { student_id, hours: '3.00' } };
  return {
    org,
    student_id,
    send: (): Promise<Answer> => system.api({ method: 'POST', ...ask }),
    /** Records the repeated write as acknowledged. */
    isDone: (answer: Answer): void => {
      const done = { done: true, mayBeLost: false, answered_at: Date.now() };
      Object.assign(write, done, { evidence: [`lot ${textAt(answer.body, 'id')}`] });
    },
  };
};

/** Restores to an instant while streams and their readers contain later events. */
const toAnInstant: RestoreCase = {
  name: 'to an instant, with streams ahead',
  about: 'Postgres is restored to an instant before some writes that streams and their readers already contain',
  run: async (stage) => {
    const { load, backup, system, writes, result } = stage;
    await load.writeCount(writes);
    const leavers = await createRevokedMembers(system);
    await backup.waitUntilArchived();
    const to = new Date();
    load.noteCopy(to.getTime());
    await load.writeCount(writes);
    await leavers.leave();
    const lost = prepareLostWrite(stage);
    const made = await lost.send();
    if (made.status !== 201) throw new Error(`the write that the restore will lose returned ${made.status}`);
    await backup.waitUntilArchived();
    await readAllEvents(stage);
    const revocations = await listRevocations(stage, leavers.askedFor(to));
    const restored = await restorePostgres(stage, to);
    load.noteRestore(Date.now());
    if (restored.last_commit !== undefined && new Date(restored.last_commit) > to)
      result.faults.push(`restored to ${restored.last_commit}, which is after ${to.toISOString()}`);
    await startServices(stage);
    await leavers.areBack();
    result.faults.push(...(await leavers.playAgain(revocations)));
    result.notes.push(`${revocations.length} sign-outs, deactivations and erasures were undone and repeated`);
    await compare(stage);
    await checkEpochs(stage, 2);
    const path = `/clazz/stats/my-lessons?student_id=${lost.student_id}`;
    const read = await system.api({
      path,
      org: lost.org,
      ...(made.token === undefined ? {} : { consistencyToken: made.token }),
    });
    if (fieldAt(read.body, 'included') !== false)
      result.faults.push('a read with the token of a lost write answers that the write is included');
    const again = await lost.send();
    if (again.status !== 201 || fieldAt(again.body, 'id') === fieldAt(made.body, 'id'))
      result.faults.push(`repeating a lost write returned ${again.status}`);
    else lost.isDone(again);
    if (stage.reader.dropped() === 0) result.faults.push('the outside reader dropped none of the lost events');
    await waitForBackup(stage, 3);
  },
};

/** Restores Postgres and the broker to the same moment. */
const toSameMoment: RestoreCase = {
  name: 'database and broker of the same moment',
  about: "Postgres is restored to the instant at which the broker's store was copied, and the copy is restored too",
  run: async (stage) => {
    const { load, backup, system, writes } = stage;
    await load.writeCount(writes);
    await backup.waitUntilArchived();
    await readAllEvents(stage);
    const to = new Date();
    load.noteCopy(to.getTime());
    await system.nats.copy('drill');
    await load.writeCount(writes);
    await backup.waitUntilArchived();
    await restorePostgres(stage, to);
    load.noteRestore(Date.now());
    await system.nats.restoreCopy('drill');
    await startServices(stage);
    await load.writeCount(writes);
    await compare(stage);
    await checkEpochs(stage, 3);
  },
};

export const RESTORE_CASES: readonly RestoreCase[] = [toTheEnd, toAnInstant, toSameMoment];

export interface RestoreTestOptions {
  seed: number;
  /** Number of writes before and after each step. */
  writes: number;
  /** Called with the result of each restore case. */
  onResult: (act: RestoreCase, played: CaseResult) => void;
}

/** Runs all restore cases one after another on one system of its own. */
export const runRestoreTest = async ({ seed, writes, onResult }: RestoreTestOptions): Promise<void> => {
  const system = await startSystem({ checkout: OWN_CHECKOUT });
  try {
    const backup = await startBackedUpPostgres(system.postgres);
    try {
      const load = await createLoad(system, { seed });
      const reader = createReader(system, 'clazz');
      await load.writeCount(writes);
      await backup.waitForBases(1);
      for (const act of RESTORE_CASES) {
        const result: CaseResult = { faults: [], notes: [], ms: {} };
        const timed: Stage['timed'] = async (what, work) => {
          const begun = performance.now();
          const value = await work();
          result.ms[what] = (result.ms[what] ?? 0) + Math.round(performance.now() - begun);
          return value;
        };
        await act.run({ system, load, backup, reader, writes, result, timed }).catch((error: unknown) => {
          result.faults.push(error instanceof Error ? error.message : String(error));
        });
        onResult(act, result);
      }
    } finally {
      await backup.end();
    }
  } finally {
    await system.end();
  }
};

import type { EventDef } from '@teaching/contracts';
import type { Logger } from 'pino';
import { wait } from '../base/wait.ts';
import { texts } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { Bus } from '../rpc/connect.ts';
import type { Requester } from '../rpc/requester.ts';
import { record } from '../telemetry/metrics.ts';
import { type ApplierSpec, createApplier, type Entry, Moved, type Store } from './apply.ts';
import { askHowFar, askToRead } from './ask-source.ts';
import { nameOf } from './entry.ts';
import { FOLLOWER_POSITION } from './follower.table.ts';
import type { Arrived, Mailbox } from './mailbox.ts';
import type { ReadAnswer } from './messages.ts';
import { logName, orderOf, type Place, placeOf } from './place.ts';
import { checkAhead, readEnvelope, type Received, received } from './received.ts';
import { createRetry } from './retry.ts';
import { reasonOf, TroubleTeller } from './trouble.ts';
import { inWorkerTx, type WorkerDeps } from './tx.ts';

/** Entries applied at a time. */
const BATCH = 400;
const IDLE_MS = 500;
const BACKOFF_MS = [100, 300, 1_000, 3_000];
/** A head that was told and not reached: the messages to it may still be on their way for this long. */
const GRACE_MS = 100;
const RETRY_MS = 500;

export interface FollowDeps extends WorkerDeps {
  bus: Bus;
  requester: Requester;
  log: Logger;
  /** Events were applied and committed, or the position is otherwise known anew. */
  onApplied: () => void;
}

/** The part of a follower that follows one log. */
export interface LogSpec extends ApplierSpec {
  /** The service whose log it is, and which. */
  source: Pick<EventDef, 'service' | 'log'>;
  /** The events that are followed; others are numbers only. */
  follows: readonly EventDef[];
  /**
   * The source does not have what was applied, or removed what comes next. Answers from where to go on, or
   * nothing when this follower is to stop here.
   */
  lost: (at: Place, answer: Exclude<ReadAnswer, { state: 'ok' }>) => Promise<Place | undefined>;
  /** Events of these names are followed for the first time; earlier ones were passed over. */
  passedOver: (names: readonly string[]) => Promise<void>;
}

/** How far a follower is in one log, for whoever looks. */
export interface Following {
  follower: string;
  log: string;
  position: Place;
  /** Where the log ends, as last told. */
  head: Place | undefined;
  broken: boolean;
  trouble: string | undefined;
}

const POSITION = FOLLOWER_POSITION.some('epoch', 'no', 'id', 'after_tx', 'broken', 'trouble');
const OPEN = statement(
  `insert into follower_position as p (follower, log, follows) values ($1, $2, $3)
   on conflict (follower, log) do update set follows = excluded.follows
   returning ${POSITION.of('p')}, old.follows as followed`,
  { ...POSITION.shape, followed: texts().nullable() },
);
const SET = statement(
  'update follower_position set epoch = $3, no = $4, id = $5, after_tx = null where follower = $1 and log = $2',
);
const TROUBLE = statement(`
  update follower_position set trouble = $3, trouble_since = coalesce(trouble_since, now()) where follower = $1 and log = $2`);

const CALM = statement(`
  update follower_position set trouble = null, trouble_since = null where follower = $1 and log = $2 and not broken`);

/** The source does not have what this follower applied. */
class Lost extends Error {
  readonly answer: Exclude<ReadAnswer, { state: 'ok' }>;
  constructor(answer: Exclude<ReadAnswer, { state: 'ok' }>) {
    super(answer.state === 'hole' ? 'the log was cut before this follower had read it' : 'the source went back');
    this.answer = answer;
  }
}

export const specName = ({ service, log }: LogSpec['source']): string => logName(service, log);

/**
 * Follows one log: a first follow, a gap, catching up after a week and a broker that forgot are the same. What
 * arrives in order is applied; for everything else the source is asked.
 */
export const followLog = (deps: FollowDeps, spec: LogSpec, mailbox: Mailbox) => {
  const { follower, log, source, follows } = spec;
  const applier = createApplier(deps, spec);
  const retry = createRetry(deps, spec, applier);
  const teller = new TroubleTeller(deps.log, `${follower} does not follow ${log}`);
  const byType = new Map(follows.map((event) => [event.type, event]));
  const names = new Set(follows.map(({ name }) => name));
  let applied: Place = { epoch: 0, no: 0, id: null };
  let broken = false;
  /** Trouble is on record, of this process or of one before it. */
  let troubled = false;

  const setPosition = async (place: Place): Promise<void> => {
    await inWorkerTx(deps, async (tx) => tx.run(SET, follower, log, place.epoch, place.no, place.id));
    applied = place;
  };

  /** Goes on where the machinery before the log had stopped: before the last transaction it had applied. */
  const carryOver = async (after_tx: readonly string[]): Promise<void> => {
    const reach = await askHowFar(deps.requester, source.service, after_tx);
    const first = Math.max(0, ...Object.values(reach).map((tx) => tx.first));
    await setPosition(first === 0 ? { epoch: 0, no: 0, id: null } : { ...placeOf(first - 1), id: null });
  };

  const open = async (): Promise<void> => {
    const [row] = await inWorkerTx(deps, (tx) => tx.query(OPEN, follower, log, [...names]));
    if (row === undefined) throw new Error('no position');
    applied = { epoch: row.epoch, no: row.no, id: row.id };
    broken = row.broken;
    troubled = row.trouble !== null;
    if (row.after_tx !== null) await carryOver(row.after_tx);
    const fresh = [...names].filter((name) => row.followed?.includes(name) === false);
    if (fresh.length > 0 && applied.no > 0) await spec.passedOver(fresh);
    await applier.load();
  };

  const toEntry = (place: Place, one: Received | undefined): Entry => {
    if (one === undefined || one.data === null) return { place, event: undefined };
    const event = byType.get(one.type);
    if (event !== undefined) {
      checkAhead(one, event);
      return { place, event: one };
    }
    if (!names.has(nameOf(one.type))) return { place, event: undefined };
    return { place, event: one, unknown: `${one.type} is a version that is not known here` };
  };

  /** What comes next as the source has it. */
  const askNext = async (after: Place): Promise<{ after: Place; entries: Entry[]; head: Place }> => {
    const answer = await askToRead(deps.requester, source.service, { log: source.log, after, limit: BATCH });
    if (answer.state !== 'ok') throw new Lost(answer);
    mailbox.told = answer.head;
    const entries = answer.entries.map(({ epoch, no, id, event }) =>
      toEntry({ epoch, no, id }, event === undefined ? undefined : received(event)),
    );
    const last = entries.at(-1);
    if (last !== undefined) mailbox.reached(last.place);
    return { after: answer.after, entries, head: answer.head };
  };

  const toEntries = (messages: readonly Arrived[]): Entry[] =>
    messages.map(({ place, data }) => {
      const one = readEnvelope(data);
      if (one === undefined) throw new Error(`entry ${place.no} of ${log} is not an event`);
      return toEntry(place, one);
    });

  /** Applies in the background what was read, so that the next can be read meanwhile. */
  const pipeline = (stop: AbortSignal) => {
    let running: Promise<void> = Promise.resolve();
    let failure: unknown;
    return {
      check: (): void => {
        if (failure !== undefined) throw failure;
      },
      idle: (): Promise<void> => running,
      push: async (from: Place, entries: readonly Entry[], store: Store | undefined): Promise<void> => {
        await running;
        if (failure !== undefined) throw failure;
        running = applier.apply(from, entries, store, stop).then(
          () => {
            applied = entries.at(-1)?.place ?? from;
            record.followerAt(
              follower,
              log,
              orderOf(applied),
              mailbox.told === undefined ? 0 : mailbox.told.no - applied.no,
            );
            troubled = false;
            teller.over();
            deps.onApplied();
          },
          (error: unknown) => {
            failure = error;
            mailbox.rouse();
          },
        );
      },
    };
  };

  /** Everything that was asked for is here: what stood in the way is over. */
  const calm = async (): Promise<void> => {
    if (!troubled) return;
    await inWorkerTx(deps, async (tx) => tx.run(CALM, follower, log));
    troubled = false;
    teller.over();
  };

  /** One stretch of following, until something goes wrong. */
  const stretch = async (stop: AbortSignal): Promise<void> => {
    await open();
    if (broken) return wait(BACKOFF_MS[3] ?? 0, stop);
    const work = pipeline(stop);
    try {
      await goOn(work, stop);
    } finally {
      // What is being applied moves the place: nobody reads or sets it meanwhile.
      await work.idle();
    }
    work.check();
  };

  const goOn = async (work: ReturnType<typeof pipeline>, stop: AbortSignal): Promise<void> => {
    let seen = applied;
    let asking = true;
    let next: ReturnType<typeof askNext> | undefined;
    let late = 0;
    while (!stop.aborted) {
      work.check();
      if (asking) {
        const page = await (next ?? askNext(seen));
        next = undefined;
        // The first page also says under which id the source knows the place that was asked from.
        if (seen.id === null && page.after.no >= seen.no && orderOf(page.after) !== orderOf(seen)) {
          await work.idle();
          await setPosition(page.after);
          seen = page.after;
        }
        const last = page.entries.at(-1)?.place;
        asking = last !== undefined && orderOf(last) < orderOf(page.head);
        if (last === undefined) {
          await work.idle();
          work.check();
          await calm();
          continue;
        }
        if (asking) {
          next = askNext(last);
          next.catch(() => {});
        }
        await work.push(seen, page.entries, applier.read(page.entries));
        seen = last;
        continue;
      }
      const taken = mailbox.take(seen, BATCH);
      if (taken === 'ask the source') asking = true;
      else if (taken.next.length > 0) {
        const entries = toEntries(taken.next);
        await work.push(seen, entries, applier.read(entries));
        seen = entries.at(-1)?.place ?? seen;
        late = 0;
      } else {
        const { told } = mailbox;
        const differs = told !== undefined && (orderOf(told) !== orderOf(seen) || told.id !== seen.id);
        // Messages of what was told may still be on their way, once; what remains different is asked for.
        if (differs && orderOf(told) > orderOf(seen) && late === 0) {
          late = 1;
          await mailbox.pause(GRACE_MS, stop);
        } else if (differs) {
          late = 0;
          asking = true;
        } else await mailbox.pause(IDLE_MS, stop);
      }
    }
  };

  const explain = async (error: unknown): Promise<void> => {
    if (error instanceof Lost) {
      const at = await spec.lost(applied, error.answer);
      if (at === undefined) broken = true;
      else await setPosition(at);
      return;
    }
    if (error instanceof Moved) return;
    teller.tell(error);
    troubled = true;
    try {
      await inWorkerTx(deps, async (tx) => tx.run(TROUBLE, follower, log, reasonOf(error)));
    } catch {
      // The database itself is the trouble; the log says so.
    }
  };

  const runStretches = async (stop: AbortSignal): Promise<void> => {
    for (let failures = 0; !stop.aborted; failures += 1) {
      const begun = Date.now();
      try {
        await stretch(stop);
      } catch (error) {
        if (stop.aborted) return;
        await explain(error).catch((fault: unknown) => teller.tell(fault));
      }
      if (Date.now() - begun > 10_000) failures = 0;
      await wait(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0, stop);
    }
  };

  const runRetries = async (stop: AbortSignal): Promise<void> => {
    let begun = false;
    while (!stop.aborted) {
      try {
        if (!begun) await retry.begin();
        begun = true;
        await retry.run(stop);
      } catch (error) {
        deps.log.debug({ err: error }, 'dead letters cannot be tried just now');
      }
      await wait(RETRY_MS, stop);
    }
  };

  return {
    run: async (stop: AbortSignal): Promise<void> => {
      const rouse = (): void => mailbox.rouse();
      stop.addEventListener('abort', rouse, { once: true });
      await Promise.all([runStretches(stop), runRetries(stop)]);
    },
    state: (): Following => ({ follower, log, position: applied, head: mailbox.told, broken, trouble: teller.reason }),
  };
};
export type LogFollower = ReturnType<typeof followLog>;

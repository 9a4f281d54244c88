import type pg from 'pg';
import type { Logger } from 'pino';
import type { Bus } from '../bus/connect.ts';
import { asLeader, wait } from '../db/leader.ts';
import { record } from '../telemetry/metrics.ts';
import { spannedAll, tracedEvent } from '../telemetry/trace.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { reconcile } from './reconcile.ts';
import { withSequence } from './sequence.ts';
import { ensureStream } from './stream.ts';

const BATCH = 1_000;
const POLL_MS = 500;
const BACKOFF_MS = 500;
/** Under load commits follow each other closely: relaying them together costs far less than one by one. */
const GAP_MS = 4;

interface Row {
  seq: number;
  id: string;
  subject: string;
  event: string;
  created_at: string;
}

export interface Relay {
  /** Events were committed: look now instead of at the next poll. */
  nudge: () => void;
  stop(): Promise<void>;
}

export interface RelayDeps {
  service: string;
  bus: Bus;
  pool: pg.Pool;
  log: Logger;
}

const UNPUBLISHED = {
  name: 'relay_unpublished',
  text: `select seq, id, subject, event::text as event, created_at
         from outbox where published_at is null and seq > $1 order by seq limit ${BATCH}`,
};
const MARK = {
  name: 'relay_mark',
  text: `update outbox set published_at = now(), stream_seq = p.stream_seq
         from unnest($1::bigint[], $2::bigint[]) as p(seq, stream_seq) where outbox.seq = p.seq`,
};

/**
 * Publishes one batch of events after `after` in order and marks what the stream has taken. Returns the
 * last one's place, or `undefined` when nothing is left.
 */
const relayBatch = async (
  { service, pool }: RelayDeps,
  publisher: Publisher,
  after: number,
): Promise<number | undefined> => {
  const { rows } = await pool.query<Row>({ ...UNPUBLISHED, values: [after] });
  const [first] = rows;
  if (first === undefined) return undefined;
  const { positions, failure } = await spannedAll(
    () => rows.map((row) => tracedEvent('publish', row.event)),
    'producer',
    () =>
      publisher.publish(
        rows.map((row) => ({ id: row.id, subject: row.subject, data: withSequence(row.event, row.seq) })),
      ),
  );
  const done = rows.slice(0, positions.length);
  if (done.length > 0) await pool.query({ ...MARK, values: [done.map((row) => row.seq), positions] });
  record.relayed(service, done.length, Date.now() - Date.parse(first.created_at));
  if (failure !== undefined) throw new Error(failure);
  return rows.length < BATCH ? undefined : done.at(-1)?.seq;
};

/** Relays until nothing is left; events that commit late with an earlier place wait for the next call. */
const drain = async (deps: RelayDeps, publisher: Publisher, signal: AbortSignal): Promise<void> => {
  for (let after: number | undefined = 0; after !== undefined && !signal.aborted;) {
    after = await relayBatch(deps, publisher, after);
  }
};

/**
 * Moves events from the outbox to the stream. One relay per schema is active; it is woken in process or
 * over the bus after a commit, and polls as a safety net.
 */
export const startRelay = (deps: RelayDeps): Relay => {
  const { service, bus, pool, log } = deps;
  const stop = new AbortController();
  const nudgeSubject = `nudge.${service}`;
  let leading = false;
  let pending = false;
  let wake: (() => void) | undefined;

  const wakeUp = (): void => {
    pending = true;
    wake?.();
  };
  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        wake = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      wake = done;
      signal.addEventListener('abort', done, { once: true });
      if (pending || signal.aborted) done();
    });

  const lead = async ({ signal }: { signal: AbortSignal }): Promise<void> => {
    leading = true;
    const publisher = createPublisher(bus);
    let reconciled = false;
    const redo = (): void => {
      reconciled = false;
      wakeUp();
    };
    const unlisten = bus.onUp(redo);
    try {
      while (!signal.aborted) {
        const begun = performance.now();
        pending = false;
        try {
          if (!reconciled) {
            await reconcile(await ensureStream(bus), deps);
            reconciled = true;
          }
          await drain(deps, publisher, signal);
        } catch (error) {
          if (signal.aborted) break;
          log.warn({ err: error }, 'events wait in the outbox, the stream does not take them');
          pending = false;
          reconciled = false;
          await pause(BACKOFF_MS, signal);
        }
        await pause(POLL_MS, signal);
        await wait(Math.max(0, begun + GAP_MS - performance.now()), signal);
      }
    } finally {
      unlisten();
      publisher.stop();
      leading = false;
    }
  };

  const subscription = bus.nc.subscribe(nudgeSubject, { callback: () => (leading ? wakeUp() : undefined) });
  const ended = asLeader(pool, `relay ${service}`, stop.signal, log, lead);
  return {
    nudge: () => (leading ? wakeUp() : bus.publishSoon(nudgeSubject, new Uint8Array())),
    stop: async () => {
      subscription.unsubscribe();
      stop.abort();
      await ended;
    },
  };
};

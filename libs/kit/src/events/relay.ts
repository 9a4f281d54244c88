import { jetstream } from '@nats-io/jetstream';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Bus } from '../bus/connect.ts';
import { asLeader } from '../db/leader.ts';
import { record } from '../telemetry/metrics.ts';
import { reconcile } from './reconcile.ts';
import { withSequence } from './sequence.ts';
import { ensureStream } from './stream.ts';

const BATCH = 500;
const POLL_MS = 500;
const BACKOFF_MS = 500;

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
         from outbox where published_at is null order by seq limit ${BATCH}`,
};
const MARK = {
  name: 'relay_mark',
  text: `update outbox set published_at = now(), stream_seq = p.stream_seq
         from unnest($1::bigint[], $2::bigint[]) as p(seq, stream_seq) where outbox.seq = p.seq`,
};

/** Publishes one batch in order and marks what the stream has taken; returns how many those were. */
const relayBatch = async ({ service, bus, pool }: RelayDeps): Promise<number> => {
  const { rows } = await pool.query<Row>(UNPUBLISHED);
  if (rows.length === 0) return 0;
  const js = jetstream(bus.nc);
  const sent = await Promise.allSettled(
    rows.map((row) => js.publish(row.subject, withSequence(row.event, row.seq), { msgID: row.id, timeout: 5_000 })),
  );
  // Only up to the first failure: what comes after it is sent again behind it (and deduplicated).
  const firstFailed = sent.findIndex((outcome) => outcome.status === 'rejected');
  const taken = firstFailed < 0 ? rows.length : firstFailed;
  const done = rows.slice(0, taken);
  const positions = sent
    .slice(0, taken)
    .flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.seq] : []));
  if (taken > 0) await pool.query({ ...MARK, values: [done.map((row) => row.seq), positions] });
  for (const row of done.slice(0, 1)) record.relayed(service, taken, Date.now() - Date.parse(row.created_at));
  const failure = sent[firstFailed];
  if (failure?.status === 'rejected') throw failure.reason;
  return taken;
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
    let reconciled = false;
    const redo = (): void => {
      reconciled = false;
      wakeUp();
    };
    const unlisten = bus.onUp(redo);
    try {
      while (!signal.aborted) {
        pending = false;
        try {
          if (!reconciled) {
            await reconcile(await ensureStream(bus), deps);
            reconciled = true;
          }
          while (!signal.aborted && (await relayBatch(deps)) === BATCH);
        } catch (error) {
          if (signal.aborted) break;
          log.warn({ err: error }, 'events wait in the outbox, the stream does not take them');
          pending = false;
          reconciled = false;
          await pause(BACKOFF_MS, signal);
        }
        await pause(POLL_MS, signal);
      }
    } finally {
      unlisten();
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

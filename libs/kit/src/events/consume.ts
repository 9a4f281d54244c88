import { AckPolicy, DeliverPolicy, type JsMsg, jetstream } from '@nats-io/jetstream';
import { z } from 'zod';
import type { Logger } from 'pino';
import type { Bus } from '../bus/connect.ts';
import { asLeader, wait } from '../db/leader.ts';
import { record } from '../telemetry/metrics.ts';
import { createApplier, type Apply, CONSUMER, type Positioned } from './apply.ts';
import { readEnvelope } from './batch.ts';
import { ensureStream, STREAM } from './stream.ts';
import type { WorkerDeps } from './tx.ts';

/** The durable consumer of a service: whose events it follows, and what it does with them. */
export interface ConsumerDef {
  /** Services whose events it wants; one stream order across all of them. */
  follows: readonly string[];
  apply: Apply;
}

export interface ConsumeDeps extends WorkerDeps {
  service: string;
  bus: Bus;
  log: Logger;
  /** Events were applied and committed. */
  onApplied: () => void;
}

const BATCH = 500;
const ACK_WAIT_S = 30;
const NANOS_PER_S = 1_000_000_000;
const BACKOFF_MS = 500;

const Position = z.object({ stream_seq: z.number(), stream_created: z.string(), follows: z.array(z.string()) });

const KNOWN = `insert into consumer_position (consumer, stream_seq, stream_created, follows) values ($1, 0, $2, $3)
  on conflict (consumer) do update set updated_at = now() returning stream_seq, stream_created, follows`;
const RESTART = `update consumer_position set stream_seq = $4, stream_created = $2, follows = $3 where consumer = $1`;

/**
 * Where to go on. The position lives beside the projection, so it is exact. A stream that was made anew
 * since, or a service that is followed for the first time, means reading from the stream's start; the inbox
 * skips what was already seen.
 */
const startPosition = async (
  { pool }: ConsumeDeps,
  follows: readonly string[],
  created: string,
  last_seq: number,
): Promise<number> => {
  const { rows } = await pool.query(KNOWN, [CONSUMER, created, follows]);
  const position = Position.parse(rows[0]);
  const sameStream = position.stream_created === created && position.stream_seq <= last_seq;
  const nothingNew = follows.every((service) => position.follows.includes(service));
  const stream_seq = sameStream && nothingNew ? position.stream_seq : 0;
  await pool.query(RESTART, [CONSUMER, created, follows, stream_seq]);
  return stream_seq;
};

/** One followed service is filtered by the broker; several need everything (one filter per consumer in 2.9). */
const filterOf = ({ follows }: ConsumerDef): string => (follows.length === 1 ? `evt.*.${follows[0]}.>` : 'evt.>');

const openConsumer = async (deps: ConsumeDeps, def: ConsumerDef) => {
  const manager = await ensureStream(deps.bus);
  const stream = await manager.streams.info(STREAM);
  const durable = `${deps.service}_events`;
  const position = await startPosition(deps, def.follows, stream.created, stream.state.last_seq);
  // Made anew at each term: what a former leader had in flight must not come back late, out of order.
  await manager.consumers.delete(STREAM, durable).catch(() => false);
  await manager.consumers.add(STREAM, {
    durable_name: durable,
    filter_subject: filterOf(def),
    ack_policy: AckPolicy.All,
    ack_wait: ACK_WAIT_S * NANOS_PER_S,
    max_ack_pending: BATCH * 8,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: position + 1,
  });
  return jetstream(deps.bus.nc).consumers.get(STREAM, durable);
};

/** Takes what has arrived, up to one batch at a time, and applies it; acknowledges after the commit. */
const drainLoop = async (deps: ConsumeDeps, def: ConsumerDef, signal: AbortSignal): Promise<void> => {
  const applyBatch = createApplier(CONSUMER, deps, def.apply, deps.log);
  const consumer = await openConsumer(deps, def);
  let arrived: JsMsg[] = [];
  let wake: (() => void) | undefined;
  const term = { ended: false };
  const rouse = (): void => wake?.();
  const messages = await consumer.consume({
    max_messages: BATCH * 4,
    callback: (message) => {
      arrived.push(message);
      rouse();
    },
  });
  const stop = (): void => {
    term.ended = true;
    rouse();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  messages.closed().then(stop, stop);
  watchStatus(messages, stop, deps.log);
  const unlisten = deps.bus.onUp(stop);
  try {
    while (!term.ended) {
      if (arrived.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const batch = arrived.slice(0, BATCH);
      arrived = arrived.slice(BATCH);
      const wanted = batch.filter((message) => def.follows.includes(message.subject.split('.', 3)[2] ?? ''));
      const events = wanted.flatMap((message) => toPositioned(message, deps.log));
      if (events.length > 0) {
        await applyBatch(events, signal);
        deps.onApplied();
      }
      if (signal.aborted) break;
      batch.at(-1)?.ack();
      const last = batch.at(-1);
      if (last !== undefined) record.consumerLag(deps.service, Date.now() - last.info.timestampNanos / 1e6);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    unlisten();
    messages.stop();
  }
};

const toPositioned = (message: JsMsg, log: Logger): Positioned[] => {
  const event = readEnvelope(message.data);
  if (event === undefined)
    log.error({ subject: message.subject, stream_seq: message.seq }, 'not an event envelope, skipped');
  return event === undefined ? [] : [{ event, stream_seq: message.seq }];
};

/** A consumer that vanished from the broker is opened anew. */
const watchStatus = (messages: { status(): AsyncIterable<{ type: string }> }, gone: () => void, log: Logger): void => {
  const watch = async (): Promise<void> => {
    for await (const status of messages.status()) {
      if (/deleted|not_found|exceeded_limits/.test(status.type)) {
        log.warn({ status: status.type }, 'the consumer is gone from the broker, opening it again');
        gone();
      }
    }
  };
  watch().catch(gone);
};

/** Runs the consumer for as long as the service lives; one instance of it is active at a time. */
export const startConsumer = (deps: ConsumeDeps, def: ConsumerDef): { stop(): Promise<void> } => {
  const stop = new AbortController();
  const name = `consumer ${deps.service}`;
  const ended = asLeader(deps.pool, name, stop.signal, deps.log, async ({ signal }) => {
    while (!signal.aborted) {
      try {
        await drainLoop(deps, def, signal);
      } catch (error) {
        if (!signal.aborted) deps.log.warn({ err: error, consumer: name }, 'consumer interrupted, trying again');
      }
      await wait(BACKOFF_MS, signal);
    }
  });
  return {
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
};

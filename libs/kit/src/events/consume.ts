import type { EventDef } from '@teaching/contracts';
import { AckPolicy, DeliverPolicy, type JsMsg, jetstream } from '@nats-io/jetstream';
import { z } from 'zod';
import type { Logger } from 'pino';
import type { Bus } from '../bus/connect.ts';
import { asLeader, wait } from '../db/leader.ts';
import { record } from '../telemetry/metrics.ts';
import { createApplier, type Apply, type Positioned, type Store } from './apply.ts';
import { readEnvelope } from './batch.ts';
import { ensureStream, STREAM } from './stream.ts';
import type { WorkerDeps } from './tx.ts';

/** The consumer of a service: which events it follows, and what it does with them. */
export interface ConsumerDef {
  /** Events of one source come in its order; those of different sources as they happen to. */
  follows: readonly EventDef[];
  apply: Apply;
}

/** The part of a consumer that reads one source. */
interface SourceDef extends ConsumerDef {
  /** Service whose events these are; the consumer's name in the tables. */
  source: string;
}

export interface ConsumeDeps extends WorkerDeps {
  service: string;
  bus: Bus;
  log: Logger;
  /** Events were applied and committed. */
  onApplied: () => void;
}

const BATCH = 1_000;
const ACK_WAIT_S = 30;
const NANOS_PER_S = 1_000_000_000;
const BACKOFF_MS = 500;

const Position = z.object({ stream_seq: z.number(), stream_created: z.string(), follows: z.array(z.string()) });

const KNOWN = `insert into consumer_position (consumer, stream_seq, stream_created, follows) values ($1, 0, $2, $3)
  on conflict (consumer) do update set updated_at = now() returning stream_seq, stream_created, follows`;
const RESTART = `update consumer_position set stream_seq = $4, stream_created = $2, follows = $3 where consumer = $1`;

/**
 * Where to go on. The position lives beside the projection, so it is exact. A stream that was made anew
 * since, or an event that is followed for the first time, means reading from the stream's start; the inbox
 * skips what was already seen.
 */
const startPosition = async (
  { pool }: ConsumeDeps,
  { source, follows }: SourceDef,
  created: string,
  last_seq: number,
): Promise<number> => {
  const types = follows.map(({ type }) => type);
  const { rows } = await pool.query(KNOWN, [source, created, types]);
  const position = Position.parse(rows[0]);
  const sameStream = position.stream_created === created && position.stream_seq <= last_seq;
  const nothingNew = types.every((type) => position.follows.includes(type));
  const stream_seq = sameStream && nothingNew ? position.stream_seq : 0;
  await pool.query(RESTART, [source, created, types, stream_seq]);
  return stream_seq;
};

/** What the broker sends: one consumer has one filter in 2.9, so several kinds of events need all of their source. */
const filterOf = ({ source, follows }: SourceDef): string => {
  const [only, ...more] = follows;
  return only !== undefined && more.length === 0 ? only.subject('*') : `evt.*.${source}.>`;
};

const openConsumer = async (deps: ConsumeDeps, def: SourceDef) => {
  const manager = await ensureStream(deps.bus);
  const stream = await manager.streams.info(STREAM);
  const durable = `${deps.service}_${def.source}`;
  const position = await startPosition(deps, def, stream.created, stream.state.last_seq);
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

/** A message with the event it carries; without one when nobody here follows it, or it is none. */
interface Arrived {
  message: JsMsg;
  event: Positioned['event'] | undefined;
}

/** Which event a subject tells of: what follows `evt.<org>.` */
const nameIn = (subject: string): string => subject.slice(subject.indexOf('.', 'evt.'.length) + 1);

/** Reads messages as they arrive, while earlier ones are being applied. */
const readerOf = ({ follows }: SourceDef, log: Logger) => {
  const byName = new Map(follows.map((event) => [nameIn(event.subject('*')), event]));
  return (message: JsMsg): Arrived => {
    const def = byName.get(nameIn(message.subject));
    const event = def && readEnvelope(message.data, def);
    if (def !== undefined && event === undefined) {
      log.error({ subject: message.subject, stream_seq: message.seq }, 'not an event envelope, skipped');
    }
    return { message, event };
  };
};

/** What has arrived and waits for its batch. */
class Mailbox {
  #waiting: Arrived[] = [];
  #wake: (() => void) | undefined;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get isFull(): boolean {
    return this.#waiting.length >= BATCH;
  }

  put(arrived: Arrived): void {
    this.#waiting.push(arrived);
    this.rouse();
  }

  takeBatch(): Arrived[] {
    const batch = this.#waiting.slice(0, BATCH);
    this.#waiting = this.#waiting.slice(BATCH);
    return batch;
  }

  /** Ends the pause of whoever waits. */
  rouse(): void {
    this.#wake?.();
  }

  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/**
 * Applies what arrives, up to one batch at a time, and acknowledges it after the commit. While one batch is
 * being stored, the next is read as soon as it is full; a smaller one waits for more.
 */
const applyAll = async (deps: ConsumeDeps, def: SourceDef, mailbox: Mailbox, ended: AbortSignal): Promise<void> => {
  const { read, applyBatch } = createApplier(def.source, deps, def.apply, deps.log);
  const apply = async (events: readonly Positioned[], store: Store | undefined, last: JsMsg): Promise<void> => {
    if (events.length > 0) {
      await applyBatch(events, store, ended);
      deps.onApplied();
    }
    if (ended.aborted) return;
    last.ack();
    record.consumerLag(deps.service, Date.now() - last.info.timestampNanos / 1e6);
  };
  let applying: Promise<void> | undefined;
  const trouble: unknown[] = [];
  while (!ended.aborted && trouble.length === 0) {
    if (mailbox.isEmpty || (applying !== undefined && !mailbox.isFull)) {
      await mailbox.pause();
      continue;
    }
    const batch = mailbox.takeBatch();
    const last = batch.at(-1)?.message;
    const events = batch.flatMap(({ message, event }) =>
      event === undefined ? [] : [{ event, stream_seq: message.seq }],
    );
    const store = read(events);
    await applying;
    if (last === undefined || ended.aborted || trouble.length > 0) break;
    applying = apply(events, store, last)
      .catch((error: unknown) => void trouble.push(error))
      .finally(() => {
        applying = undefined;
        mailbox.rouse();
      });
  }
  await applying;
  if (trouble.length > 0) throw trouble[0];
};

/** Consumes one source until the term ends, the connection was lost, or the consumer is gone. */
const drainLoop = async (deps: ConsumeDeps, def: SourceDef, signal: AbortSignal): Promise<void> => {
  const consumer = await openConsumer(deps, def);
  const read = readerOf(def, deps.log);
  const mailbox = new Mailbox();
  const messages = await consumer.consume({
    max_messages: BATCH * 4,
    callback: (message) => mailbox.put(read(message)),
  });
  const term = new AbortController();
  const stop = (): void => {
    term.abort();
    mailbox.rouse();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  messages.closed().then(stop, stop);
  watchStatus(messages, stop, deps.log);
  const unlisten = deps.bus.onUp(stop);
  try {
    await applyAll(deps, def, mailbox, term.signal);
  } finally {
    signal.removeEventListener('abort', stop);
    unlisten();
    messages.stop();
  }
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

/** Runs the consumer for as long as the service lives; for each source one instance of it is active at a time. */
export const startConsumer = (deps: ConsumeDeps, { follows, apply }: ConsumerDef): { stop(): Promise<void> } => {
  const stop = new AbortController();
  const ended = [...Map.groupBy(follows, ({ service }) => service)].map(([source, events]) => {
    const def = { source, follows: events, apply };
    const name = `consumer ${deps.service} ${source}`;
    return asLeader(deps.pool, name, stop.signal, deps.log, async ({ signal }) => {
      while (!signal.aborted) {
        try {
          await drainLoop(deps, def, signal);
        } catch (error) {
          if (!signal.aborted) deps.log.warn({ err: error, consumer: name }, 'consumer interrupted, trying again');
        }
        await wait(BACKOFF_MS, signal);
      }
    });
  });
  return {
    stop: async () => {
      stop.abort();
      await Promise.all(ended);
    },
  };
};

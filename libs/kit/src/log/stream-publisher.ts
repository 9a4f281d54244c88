import type { LogKind } from '@teaching/contracts';
import { Envelope, SUBJECT_ROOT } from '@teaching/contracts';
import { createInbox, headers, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from '../rpc/connect.ts';
import { compiledSchema } from '../base/compiled-schema.ts';
import { envelopeText, type EntryRow, eventNameOf } from './log-entry.ts';
import { type Offset, offsetOf, sequenceOf } from './offset.ts';
import { openStream, type StreamLimits, streamName, subjectsOf } from './stream.ts';

/** Header with the id of the event before: a reader sees whether it continues what it has. */
export const PREVIOUS_HEADER = 'Log-Previous';
/** Header with epoch and number. */
export const OFFSET_HEADER = 'Log-Place';
export const MESSAGE_ID_HEADER = 'Nats-Msg-Id';
const EXPECTED_ID = 'Nats-Expected-Last-Msg-Id';
const EXPECTED_SEQUENCE = 'Nats-Expected-Last-Sequence';

/** The stream's answer to one publish (JetStream API). */
const Ack = z.union([
  z.object({ error: z.object({ description: z.string() }) }),
  z.object({ seq: z.number(), error: z.undefined().optional() }),
]);

const ACK_MS = 5_000;
/** Messages at the end of the stream that are looked through for an entry of the log. */
const SEARCHED = 100;

/**
 * Publishes one log to its stream, in order, a batch at a time. Each message names the one that must stand
 * before it, so the stream takes all of a batch up to the first it refuses; hence one acknowledgement, of the
 * last, speaks for all.
 */
export const createStreamPublisher = (bus: Bus, service: string, kind: LogKind, limits: StreamLimits) => {
  const inbox = createInbox(bus.inboxPrefix);
  let batch = 0;
  /** What must stand at the end of the stream before the next message. */
  let expected: { id: string } | { stream_seq: number } | undefined;
  let settle: ((failure: string | undefined) => void) | undefined;

  const failureIn = (message: Msg): string | undefined => {
    if (message.headers?.code === 503) return 'no stream takes them';
    const ack = compiledSchema(Ack).safeParse(message.json());
    return ack.success ? ack.data.error?.description : 'the stream answers something else than an acknowledgement';
  };
  const subscription = bus.listen(`${inbox}.*`, {
    callback: (error, message) => {
      // A late answer to an earlier batch says nothing about this one.
      if (error === null && Number(message.subject.slice(inbox.length + 1)) === batch) settle?.(failureIn(message));
    },
  });
  const unlisten = bus.onDown(() => settle?.('the broker is not reachable'));

  /** The last event the stream has, asked of the broker; makes the stream if it is missing. */
  const findTail = async (): Promise<Offset | undefined> => {
    const { manager, info } = await openStream(bus, service, kind, limits);
    const name = streamName(service, kind);
    expected = { stream_seq: info.state.last_seq };
    // Messages of an organization that was deleted are gone: the end of the stream may be far before its last sequence.
    const last = await manager.streams.getMessage(name, { last_by_subj: subjectsOf(service, kind) });
    // Something that is no entry of the log may have been put there; the last that is one counts.
    for (let seq = last?.seq ?? 0; seq > Math.max(0, (last?.seq ?? 0) - SEARCHED); seq -= 1) {
      const message = seq === last?.seq ? last : await manager.streams.getMessage(name, { seq });
      const envelope = Envelope.safeParse(message?.json());
      if (envelope.success) return { ...offsetOf(sequenceOf(envelope.data)), id: envelope.data.id };
    }
    return undefined;
  };

  const send = (row: EntryRow, previous: string | null, reply: string | undefined): void => {
    const head = headers();
    head.set(MESSAGE_ID_HEADER, row.id);
    head.set(OFFSET_HEADER, `${row.epoch} ${row.no}`);
    if (previous !== null) head.set(PREVIOUS_HEADER, previous);
    if (expected !== undefined && 'id' in expected) head.set(EXPECTED_ID, expected.id);
    else if (expected !== undefined) head.set(EXPECTED_SEQUENCE, String(expected.stream_seq));
    const subject = `${SUBJECT_ROOT[kind]}.${row.org_id}.${eventNameOf(row.type)}`;
    bus.nc.publish(subject, envelopeText(service, row), { headers: head, ...(reply === undefined ? {} : { reply }) });
    expected = { id: row.id };
  };

  /** Publishes entries that follow each other; `previous` is the id before the first. Answers why not, if not. */
  const publish = (rows: readonly EntryRow[], previous: string | null): Promise<string | undefined> =>
    new Promise((resolve) => {
      if (!bus.isUp()) {
        resolve('the broker is not reachable');
        return;
      }
      batch += 1;
      const timer = setTimeout(() => settle?.('the stream does not answer'), ACK_MS);
      settle = (failure) => {
        clearTimeout(timer);
        settle = undefined;
        if (failure !== undefined) expected = undefined;
        resolve(failure);
      };
      rows.forEach((row, index) => {
        const isLast = index === rows.length - 1;
        send(row, index === 0 ? previous : (rows[index - 1]?.id ?? null), isLast ? `${inbox}.${batch}` : undefined);
      });
    });

  return {
    findTail,
    publish,
    stop: (): void => {
      unlisten();
      subscription.unsubscribe();
      settle?.('stopped');
    },
  };
};

import type { LogKind } from '@teaching/contracts';
import { Envelope, SUBJECT_ROOT } from '@teaching/contracts';
import { createInbox, headers, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from '../rpc/message-bus.ts';
import { compiledSchema } from '../base/compiled-schema.ts';
import { envelopeText, type EntryRow, eventNameOf } from './log-entry.ts';
import { type Offset, offsetOf, sequenceOf } from './offset.ts';
import { openStream, type StreamLimits, streamName, subjectsOf } from './stream.ts';

/** Header with the id of the previous event: a reader sees whether a message continues its log. */
export const PREVIOUS_HEADER = 'Log-Previous';
/** Header with epoch and number. */
export const OFFSET_HEADER = 'Log-Place';
export const MESSAGE_ID_HEADER = 'Nats-Msg-Id';
const EXPECTED_ID = 'Nats-Expected-Last-Msg-Id';
const EXPECTED_SEQUENCE = 'Nats-Expected-Last-Sequence';

/** The stream's response to one message (JetStream API). */
const Ack = z.union([
  z.object({ error: z.object({ description: z.string() }) }),
  z.object({ seq: z.number(), error: z.undefined().optional() }),
]);

const ACK_MS = 5_000;
/** Messages at the end of the stream that are searched for an entry of the log. */
const SEARCHED = 100;

/**
 * Publishes one log to its stream, in order, one batch at a time. Each message names its expected predecessor, so the
 * stream accepts a batch up to the first message that it refuses. Hence one acknowledgement, of the last message, is
 * enough for all.
 */
export const createStreamPublisher = (bus: Bus, service: string, kind: LogKind, limits: StreamLimits) => {
  const inbox = createInbox(bus.inboxPrefix);
  let batch = 0;
  /** The expected end of the stream before the next message. */
  let expected: { id: string } | { stream_seq: number } | undefined;
  let finish: ((failure: string | undefined) => void) | undefined;

  const failureOf = (message: Msg): string | undefined => {
    if (message.headers?.code === 503) return 'no stream accepts the events';
    const ack = compiledSchema(Ack).safeParse(message.json());
    return ack.success ? ack.data.error?.description : 'the response of the stream is not an acknowledgement';
  };
  const subscription = bus.listen(`${inbox}.*`, {
    callback: (error, message) => {
      // A late response to an earlier batch does not concern this one.
      if (error === null && Number(message.subject.slice(inbox.length + 1)) === batch) finish?.(failureOf(message));
    },
  });
  const unlisten = bus.onDown(() => finish?.('the broker is not reachable'));

  /** Reads the last event of the stream from the broker, and creates a missing stream. */
  const findTail = async (): Promise<Offset | undefined> => {
    const { manager, info } = await openStream(bus, service, kind, limits);
    const name = streamName(service, kind);
    expected = { stream_seq: info.state.last_seq };
    // Messages of a deleted organization are removed, so the last message may be far before the last sequence.
    const last = await manager.streams.getMessage(name, { last_by_subj: subjectsOf(service, kind) });
    // Messages that are not entries of the log are ignored; the last entry counts.
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

  /**
   * Publishes consecutive entries. `previous` is the id before the first. Resolves with the reason of a failure, else
   * undefined.
   */
  const publish = (rows: readonly EntryRow[], previous: string | null): Promise<string | undefined> =>
    new Promise((resolve) => {
      if (!bus.isUp()) {
        resolve('the broker is not reachable');
        return;
      }
      batch += 1;
      const timer = setTimeout(() => finish?.('the stream does not answer'), ACK_MS);
      finish = (failure) => {
        clearTimeout(timer);
        finish = undefined;
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
      finish?.('stopped');
    },
  };
};

import type { LogKind } from '@teaching/contracts';
import { Envelope, SUBJECT_ROOT } from '@teaching/contracts';
import type { StreamInfo } from '@nats-io/jetstream';
import { createInbox, headers, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from '../rpc/message-bus.ts';
import { compiledSchema } from '../base/compiled-schema.ts';
import { envelopeText, type EntryRow, eventNameOf } from './log-entry.ts';
import { type Offset, offsetOf, sequenceOf } from './offset.ts';
import { openStream, type StreamLimits, streamName, subjectsOf } from './stream.ts';

/** Header with the id of the previous event: a reader sees whether a message continues its log. */
export const PREVIOUS_HEADER = 'Log-Previous';
/** The previous id of a repeated message. No event has it, so followers read the entry from the source. */
const REPEATED = 'repeated';
/** Header with epoch and number. */
export const OFFSET_HEADER = 'Log-Place';
export const MESSAGE_ID_HEADER = 'Nats-Msg-Id';
const EXPECTED_SEQUENCE = 'Nats-Expected-Last-Sequence';

/** The stream's response to one message (JetStream API). `seq` of a duplicate is that of the earlier message. */
const Ack = z.union([
  z.object({ error: z.object({ description: z.string(), err_code: z.number() }) }),
  z.object({ seq: z.number(), error: z.undefined().optional() }),
]);

/** The stream when it was last looked at. */
interface SeenStream {
  created: string;
  deleted: number;
  last_seq: number;
  isEmpty: boolean;
}

const deletedIn = ({ state }: StreamInfo): number => state.num_deleted ?? 0;
const seenIn = (info: StreamInfo): SeenStream => ({
  created: info.created,
  deleted: deletedIn(info),
  last_seq: info.state.last_seq,
  isEmpty: info.state.messages === 0,
});

/** The broker's error for a message that names another sequence than that of the last message. */
const WRONG_LAST_SEQUENCE = 10071;
const ACK_MS = 5_000;
/** Messages at the end of the stream that are searched for an entry of the log. */
const SEARCHED = 1_000;

/** Entries to publish, in order. */
export interface PublishedRows {
  rows: readonly EntryRow[];
  /** The id before the first. */
  previous: string | null;
  /** Whether the broker may have had them before. */
  isRepeated: boolean;
}

/**
 * Publishes one log to its stream, in order, one batch at a time. Each message names the sequence that the stream must
 * have reached before it, so the stream accepts a batch up to the first message that it refuses. Hence one
 * acknowledgement, of the last message, is enough for all.
 */
export const createStreamPublisher = (bus: Bus, service: string, kind: LogKind, limits: StreamLimits) => {
  const inbox = createInbox(bus.inboxPrefix);
  const name = streamName(service, kind);
  /** The batch that was sent last. */
  let batch = { no: 0, isRepeated: false };
  /** The sequence of the last message. */
  let last_seq = 0;
  let seen: SeenStream | undefined;
  /**
   * Whether messages were removed, or repeated ones refused although they were in order. The broker remembers message ids for two minutes, also those
   * of messages that were removed since, and does not store a message with such an id. So repeated messages have none.
   */
  let omitsIds = false;
  let finish: ((failure: string | undefined) => void) | undefined;

  const failureOf = (message: Msg): string | undefined => {
    if (message.headers?.code === 503) return 'no stream accepts the events';
    const ack = compiledSchema(Ack).safeParse(message.json());
    if (!ack.success) return 'the response of the stream is not an acknowledgement';
    const { error } = ack.data;
    if (error === undefined && ack.data.seq === last_seq) return undefined;
    omitsIds = batch.isRepeated && (error === undefined || error.err_code === WRONG_LAST_SEQUENCE);
    return error?.description ?? 'the stream has other messages than expected';
  };
  const subscription = bus.listen(`${inbox}.*`, {
    callback: (error, message) => {
      // A late response to an earlier batch does not concern this one.
      if (error === null && Number(message.subject.slice(inbox.length + 1)) === batch.no) finish?.(failureOf(message));
    },
  });
  const unlisten = bus.onDown(() => finish?.('the broker is not reachable'));

  /** Whether all messages are gone that the stream had at the last look. A batch that was sent since may be there. */
  const isEmptied = ({ created, state: { messages, first_seq, last_seq: end } }: StreamInfo): boolean => {
    if (seen?.created !== created) return false;
    return messages === 0 ? !seen.isEmpty || end > seen.last_seq : !seen.isEmpty && first_seq === seen.last_seq + 1;
  };

  /**
   * Whether the end of the stream is still what this process published. The broker says nothing when messages are
   * removed, and accepts later ones. Messages that are removed from the beginning, as they expire or exceed the size,
   * do not count.
   */
  const isIntact = async (): Promise<boolean> => {
    const { info } = await openStream(bus, service, kind, limits);
    const { created, state } = info;
    const isSame = seen?.created === created && state.last_seq === last_seq && deletedIn(info) <= seen.deleted;
    const isUnchanged = isSame && !isEmptied(info);
    if (isUnchanged) seen = seenIn(info);
    else omitsIds = true;
    return isUnchanged;
  };

  /** Reads the last event of the stream from the broker, and creates a missing stream. */
  const findTail = async (): Promise<Offset | undefined> => {
    const { manager, info } = await openStream(bus, service, kind, limits);
    const isRefilled = isEmptied(info);
    seen = seenIn(info);
    last_seq = info.state.last_seq;
    // Events that followed a purge are published again behind the earlier ones.
    if (isRefilled) return undefined;
    // Messages of a deleted organization are removed, so the last message may be far before the last sequence.
    const last = await manager.streams.getMessage(name, { last_by_subj: subjectsOf(service, kind) });
    // nats-server 2.9 does not find it if a later message was deleted.
    const end = last?.seq ?? (info.state.messages === 0 ? 0 : last_seq);
    // Messages that are not entries of the log are ignored; the last entry counts.
    for (let seq = end; seq > Math.max(0, end - SEARCHED); seq -= 1) {
      const message = seq === last?.seq ? last : await manager.streams.getMessage(name, { seq });
      const envelope = Envelope.safeParse(message?.json());
      if (envelope.success) return { ...offsetOf(sequenceOf(envelope.data)), id: envelope.data.id };
    }
    return undefined;
  };

  const send = (row: EntryRow, previous: string | null, reply: string | undefined): void => {
    const head = headers();
    head.set(OFFSET_HEADER, `${row.epoch} ${row.no}`);
    if (omitsIds) head.set(PREVIOUS_HEADER, REPEATED);
    else {
      head.set(MESSAGE_ID_HEADER, row.id);
      if (previous !== null) head.set(PREVIOUS_HEADER, previous);
    }
    head.set(EXPECTED_SEQUENCE, String(last_seq));
    const subject = `${SUBJECT_ROOT[kind]}.${row.org_id}.${eventNameOf(row.type)}`;
    bus.nc.publish(subject, envelopeText(service, row), { headers: head, ...(reply === undefined ? {} : { reply }) });
    last_seq += 1;
  };

  /** Publishes consecutive entries. Resolves with the reason of a failure, after which `findTail` must be called. */
  const publish = ({ rows, previous, isRepeated }: PublishedRows): Promise<string | undefined> =>
    new Promise((resolve) => {
      if (!bus.isUp()) {
        resolve('the broker is not reachable');
        return;
      }
      batch = { no: batch.no + 1, isRepeated };
      omitsIds &&= isRepeated;
      const timer = setTimeout(() => finish?.('the stream does not answer'), ACK_MS);
      finish = (failure) => {
        clearTimeout(timer);
        finish = undefined;
        resolve(failure);
      };
      rows.forEach((row, index) => {
        const before = index === 0 ? previous : (rows[index - 1]?.id ?? null);
        send(row, before, index === rows.length - 1 ? `${inbox}.${batch.no}` : undefined);
      });
    });

  return {
    isIntact,
    findTail,
    publish,
    stop: (): void => {
      unlisten();
      subscription.unsubscribe();
      finish?.('stopped');
    },
  };
};

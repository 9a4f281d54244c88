import type { EventDef } from '@teaching/contracts';
import type { Requester } from '../rpc/requester.ts';
import type { LogEntry } from './applier.ts';
import { queryEntries } from './query-source.ts';
import { eventNameOf } from './log-entry.ts';
import type { ReceivedMessage, Mailbox } from './mailbox.ts';
import type { ReadAnswer } from './source-messages.ts';
import { logName, type Offset } from './offset.ts';
import { validateAhead, readEnvelope, type ReceivedEvent, receivedEvent } from './received-event.ts';
import { nameInSubject } from './stream.ts';

/** Entries read at a time. */
export const READ_BATCH = 400;

/** The source no longer has an entry that this follower applied, or removed the next entries. */
export class LostEntries extends Error {
  readonly answer: Exclude<ReadAnswer, { state: 'ok' }>;
  constructor(answer: Exclude<ReadAnswer, { state: 'ok' }>) {
    super(
      answer.state === 'hole'
        ? 'the log was cut before this follower had read it'
        : 'the source was restored to an earlier state',
    );
    this.answer = answer;
  }
}

/** A page of entries as the source has them. */
export interface EntryPage {
  /** The offset before the first entry, with its id. */
  after: Offset;
  entries: LogEntry[];
  /** The end of the log. */
  head: Offset;
}

/** Reads the entries of one log: those that arrive as messages, and those that the source is queried for. */
export const entryReader = (
  requester: Requester,
  source: Pick<EventDef, 'service' | 'log'>,
  follows: readonly EventDef[],
  mailbox: Mailbox,
) => {
  const byType = new Map(follows.map((event) => [event.type, event]));
  const names = new Set(follows.map(({ name }) => name));

  const toEntry = (offset: Offset, received: ReceivedEvent | undefined): LogEntry => {
    if (received === undefined || received.data === null) return { offset, event: undefined };
    const event = byType.get(received.type);
    if (event !== undefined) {
      validateAhead(received, event);
      return { offset, event: received };
    }
    if (!names.has(eventNameOf(received.type))) return { offset, event: undefined };
    return { offset, event: received, unsupportedReason: `${received.type} is a version that this code does not know` };
  };

  return {
    /** Queries the source for the next entries. */
    queryPage: async (after: Offset): Promise<EntryPage> => {
      const answer = await queryEntries(requester, source.service, { log: source.log, after, limit: READ_BATCH });
      if (answer.state !== 'ok') throw new LostEntries(answer);
      mailbox.publishedHead = answer.head;
      const entries = answer.entries.map(({ epoch, no, id, event }) =>
        toEntry({ epoch, no, id }, event === undefined ? undefined : receivedEvent(event)),
      );
      const last = entries.at(-1);
      if (last !== undefined) mailbox.advanceHead(last.offset);
      return { after: answer.after, entries, head: answer.head };
    },
    toEntries: (messages: readonly ReceivedMessage[]): LogEntry[] =>
      messages.map(({ offset, subject, data }) => {
        if (!names.has(nameInSubject(subject, source.log))) return { offset, event: undefined };
        const received = readEnvelope(data);
        if (received === undefined)
          throw new Error(`entry ${offset.no} of ${logName(source.service, source.log)} is not an event`);
        return toEntry(offset, received);
      }),
  };
};
export type EntryReader = ReturnType<typeof entryReader>;

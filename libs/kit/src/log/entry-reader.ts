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

/** The source does not have what this follower applied, or removed what comes next. */
export class LostEntries extends Error {
  readonly answer: Exclude<ReadAnswer, { state: 'ok' }>;
  constructor(answer: Exclude<ReadAnswer, { state: 'ok' }>) {
    super(answer.state === 'hole' ? 'the log was cut before this follower had read it' : 'the source went back');
    this.answer = answer;
  }
}

/** Entries as the source has them. */
export interface EntryPage {
  /** The place they come after, with its id. */
  after: Offset;
  entries: LogEntry[];
  /** Where the log ends. */
  head: Offset;
}

/** Reads the entries of one log: those that arrive, and those that its source is asked for. */
export const entryReader = (
  requester: Requester,
  source: Pick<EventDef, 'service' | 'log'>,
  follows: readonly EventDef[],
  mailbox: Mailbox,
) => {
  const byType = new Map(follows.map((event) => [event.type, event]));
  const names = new Set(follows.map(({ name }) => name));

  const toEntry = (place: Offset, one: ReceivedEvent | undefined): LogEntry => {
    if (one === undefined || one.data === null) return { place, event: undefined };
    const event = byType.get(one.type);
    if (event !== undefined) {
      validateAhead(one, event);
      return { place, event: one };
    }
    if (!names.has(eventNameOf(one.type))) return { place, event: undefined };
    return { place, event: one, unknown: `${one.type} is a version that is not known here` };
  };

  return {
    /** What comes next as the source has it. */
    ask: async (after: Offset): Promise<EntryPage> => {
      const answer = await queryEntries(requester, source.service, { log: source.log, after, limit: READ_BATCH });
      if (answer.state !== 'ok') throw new LostEntries(answer);
      mailbox.told = answer.head;
      const entries = answer.entries.map(({ epoch, no, id, event }) =>
        toEntry({ epoch, no, id }, event === undefined ? undefined : receivedEvent(event)),
      );
      const last = entries.at(-1);
      if (last !== undefined) mailbox.reached(last.place);
      return { after: answer.after, entries, head: answer.head };
    },
    toEntries: (messages: readonly ReceivedMessage[]): LogEntry[] =>
      messages.map(({ place, subject, data }) => {
        if (!names.has(nameInSubject(subject, source.log))) return { place, event: undefined };
        const one = readEnvelope(data);
        if (one === undefined)
          throw new Error(`entry ${place.no} of ${logName(source.service, source.log)} is not an event`);
        return toEntry(place, one);
      }),
  };
};
export type EntryReader = ReturnType<typeof entryReader>;

import type { EventDef } from '@teaching/contracts';
import type { Requester } from '../rpc/requester.ts';
import type { Entry } from './apply.ts';
import { queryEntries } from './query-source.ts';
import { nameOf } from './entry.ts';
import type { Arrived, Mailbox } from './mailbox.ts';
import type { ReadAnswer } from './messages.ts';
import { logName, type Place } from './place.ts';
import { checkAhead, readEnvelope, type Received, received } from './received.ts';
import { nameInSubject } from './stream.ts';

/** Entries read at a time. */
export const BATCH = 400;

/** The source does not have what this follower applied, or removed what comes next. */
export class Lost extends Error {
  readonly answer: Exclude<ReadAnswer, { state: 'ok' }>;
  constructor(answer: Exclude<ReadAnswer, { state: 'ok' }>) {
    super(answer.state === 'hole' ? 'the log was cut before this follower had read it' : 'the source went back');
    this.answer = answer;
  }
}

/** Entries as the source has them. */
export interface Page {
  /** The place they come after, with its id. */
  after: Place;
  entries: Entry[];
  /** Where the log ends. */
  head: Place;
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

  return {
    /** What comes next as the source has it. */
    ask: async (after: Place): Promise<Page> => {
      const answer = await queryEntries(requester, source.service, { log: source.log, after, limit: BATCH });
      if (answer.state !== 'ok') throw new Lost(answer);
      mailbox.told = answer.head;
      const entries = answer.entries.map(({ epoch, no, id, event }) =>
        toEntry({ epoch, no, id }, event === undefined ? undefined : received(event)),
      );
      const last = entries.at(-1);
      if (last !== undefined) mailbox.reached(last.place);
      return { after: answer.after, entries, head: answer.head };
    },
    toEntries: (messages: readonly Arrived[]): Entry[] =>
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

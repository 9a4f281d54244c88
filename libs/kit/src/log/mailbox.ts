import type { EventDef } from '@teaching/contracts';
import type { Msg } from '@nats-io/transport-node';
import { readJson } from '../base/json.ts';
import type { Bus } from '../rpc/message-bus.ts';
import { PublishedHeads, logSubjects } from './source-messages.ts';
import { orderOf, type Offset } from './offset.ts';
import { MESSAGE_ID_HEADER, OFFSET_HEADER, PREVIOUS_HEADER } from './stream-publisher.ts';
import { subjectsOf } from './stream.ts';
import { WakeSignal } from './wake-signal.ts';

/**
 * Messages beyond this number are dropped and read from the source again: a follower far behind needs no live messages.
 */
const LIMIT = 5_000;

/** A message of a log, not parsed yet. */
export interface ReceivedMessage {
  offset: Offset;
  previous: string | null;
  subject: string;
  data: Uint8Array;
}

const parseMessage = (message: Msg): ReceivedMessage | undefined => {
  const [epoch, no] = (message.headers?.get(OFFSET_HEADER) ?? '').split(' ').map(Number);
  const id = message.headers?.get(MESSAGE_ID_HEADER);
  if (epoch === undefined || no === undefined || id === undefined || !Number.isInteger(epoch + no)) return undefined;
  const previous = message.headers?.get(PREVIOUS_HEADER);
  return { offset: { epoch, no, id }, previous: previous || null, subject: message.subject, data: message.data };
};

/**
 * The result of `take`: messages that continue the log, or the need to query the source since one is missing or
 * unexpected.
 */
export type MailboxResult = { next: ReceivedMessage[] } | 'ask the source';

/** Buffers the live messages of one log, and the end of the log that its source last published. */
export class Mailbox {
  #waiting: ReceivedMessage[] = [];
  #waker = new WakeSignal();
  #close: () => void;
  /** The broker was disconnected: messages may be missing without a later one that shows it. */
  #mayHaveMissed = false;
  /** The end of the log as far as known; undefined until the source published it. */
  publishedHead: Offset | undefined;

  constructor(bus: Bus, { service, log }: Pick<EventDef, 'service' | 'log'>) {
    const messages = bus.listen(subjectsOf(service, log), {
      callback: (error, message) => {
        const one = error === null ? parseMessage(message) : undefined;
        if (one === undefined) return;
        if (this.#waiting.length >= LIMIT) this.#waiting = [];
        this.#waiting.push(one);
        this.#waker.wake();
      },
    });
    const heads = bus.listen(logSubjects(service).head, {
      callback: (error, message) => {
        if (error !== null) return;
        this.publishedHead = PublishedHeads.safeParse(readJson(message.data)).data?.[log] ?? this.publishedHead;
        this.#waker.wake();
      },
    });
    const unlisten = bus.onUp(() => {
      this.#mayHaveMissed = true;
      this.#waker.wake();
    });
    this.#close = () => {
      unlisten();
      messages.unsubscribe();
      heads.unsubscribe();
    };
  }

  /**
   * Takes up to `limit` messages that continue the log after `seen`. All others (a gap, another predecessor, another
   * epoch) lead to a query to the source: a message alone never proves that the log was restored.
   */
  take(seen: Offset, limit: number): MailboxResult {
    const next: ReceivedMessage[] = [];
    let taken = 0;
    let at = seen;
    for (const one of this.#waiting) {
      if (next.length === limit) break;
      if (orderOf(one.offset) > orderOf(at)) {
        const { epoch, no, id } = one.offset;
        const follows = epoch === at.epoch && no === at.no + 1 && one.previous === at.id && id !== '';
        if (!follows) break;
        next.push(one);
        at = one.offset;
      }
      taken += 1;
    }
    const needsQuery = next.length === 0 && (taken < this.#waiting.length || this.#mayHaveMissed);
    if (needsQuery) this.#mayHaveMissed = false;
    this.#waiting = needsQuery ? [] : this.#waiting.slice(taken);
    if (next.length > 0) this.advanceHead(at);
    return needsQuery ? 'ask the source' : { next };
  }

  /** Call when the log is known to have this offset: an earlier end of the log no longer counts. */
  advanceHead(place: Offset): void {
    if (this.publishedHead !== undefined && orderOf(this.publishedHead) < orderOf(place)) this.publishedHead = place;
  }

  async pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#waker.pause(ms, signal);
  }

  wake(): void {
    this.#waker.wake();
  }

  close(): void {
    this.#close();
  }
}

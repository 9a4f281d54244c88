import type { EventDef } from '@teaching/contracts';
import type { Msg } from '@nats-io/transport-node';
import { readJson } from '../base/json.ts';
import type { Bus } from '../rpc/connect.ts';
import { PublishedHeads, logSubjects } from './source-messages.ts';
import { orderOf, type Offset } from './offset.ts';
import { MESSAGE_ID_HEADER, OFFSET_HEADER, PREVIOUS_HEADER } from './stream-publisher.ts';
import { subjectsOf } from './stream.ts';
import { WakeSignal } from './wake-signal.ts';

/** What waits beyond this is dropped and read from the source again: a follower far behind needs no live messages. */
const LIMIT = 5_000;

/** A message of a log that arrived, not read yet. */
export interface ReceivedMessage {
  place: Offset;
  previous: string | null;
  subject: string;
  data: Uint8Array;
}

const arrived = (message: Msg): ReceivedMessage | undefined => {
  const [epoch, no] = (message.headers?.get(OFFSET_HEADER) ?? '').split(' ').map(Number);
  const id = message.headers?.get(MESSAGE_ID_HEADER);
  if (epoch === undefined || no === undefined || id === undefined || !Number.isInteger(epoch + no)) return undefined;
  const previous = message.headers?.get(PREVIOUS_HEADER);
  return { place: { epoch, no, id }, previous: previous || null, subject: message.subject, data: message.data };
};

/** What was taken: entries that go on from where one stands, or that something is missing or odd. */
export type MailboxResult = { next: ReceivedMessage[] } | 'ask the source';

/** The live messages of one log, and what its source last told of where it ends. */
export class Mailbox {
  #waiting: ReceivedMessage[] = [];
  #waker = new WakeSignal();
  #close: () => void;
  /** The bus was away: messages may be missing without a later one that shows it. */
  #mayMiss = false;
  /** Where the log ends, as far as is known; undefined until something was told. */
  told: Offset | undefined;

  constructor(bus: Bus, { service, log }: Pick<EventDef, 'service' | 'log'>) {
    const messages = bus.listen(subjectsOf(service, log), {
      callback: (error, message) => {
        const one = error === null ? arrived(message) : undefined;
        if (one === undefined) return;
        if (this.#waiting.length >= LIMIT) this.#waiting = [];
        this.#waiting.push(one);
        this.#waker.wake();
      },
    });
    const heads = bus.listen(logSubjects(service).head, {
      callback: (error, message) => {
        if (error !== null) return;
        this.told = PublishedHeads.safeParse(readJson(message.data)).data?.[log] ?? this.told;
        this.#waker.wake();
      },
    });
    const unlisten = bus.onUp(() => {
      this.#mayMiss = true;
      this.#waker.wake();
    });
    this.#close = () => {
      unlisten();
      messages.unsubscribe();
      heads.unsubscribe();
    };
  }

  /**
   * Takes what follows `seen`, up to `limit`. Whatever does not (a gap, another predecessor, another epoch) is
   * for the source to explain: a message alone never proves that the log went back.
   */
  take(seen: Offset, limit: number): MailboxResult {
    const next: ReceivedMessage[] = [];
    let used = 0;
    let at = seen;
    for (const one of this.#waiting) {
      if (next.length === limit) break;
      if (orderOf(one.place) > orderOf(at)) {
        const follows = one.place.epoch === at.epoch && one.place.no === at.no + 1 && one.previous === at.id;
        if (!follows) break;
        next.push(one);
        at = one.place;
      }
      used += 1;
    }
    const odd = next.length === 0 && (used < this.#waiting.length || this.#mayMiss);
    if (odd) this.#mayMiss = false;
    this.#waiting = odd ? [] : this.#waiting.slice(used);
    if (next.length > 0) this.reached(at);
    return odd ? 'ask the source' : { next };
  }

  /** The log has this: what was told before says no longer where it ends, nor that it went back. */
  reached(place: Offset): void {
    if (this.told !== undefined && orderOf(this.told) < orderOf(place)) this.told = place;
  }

  async pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.#waker.pause(ms, signal);
  }

  rouse(): void {
    this.#waker.wake();
  }

  close(): void {
    this.#close();
  }
}

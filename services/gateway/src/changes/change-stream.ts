import type { Socket } from 'node:net';
import type { Hint } from '@teaching/contracts';
import type { Caller } from '../auth/authenticate.ts';
import type { ChangeFeed } from './change-feeds.ts';
import type { RecentChanges } from './recent-changes.ts';
import { canChangeRelations, visibleChange, type Viewer } from './change-visibility.rules.ts';

/** Milliseconds after which a browser reconnects. */
const RETRY_MS = 1_000;

/** Texts of server-sent events (HTML Standard, §9.2). An event without data is not dispatched, but its id is stored. */
const eventText = {
  begin: (id: string): string => `retry: ${RETRY_MS}\nid: ${id}\n\n`,
  change: (id: string, change: object): string => `id: ${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`,
  reset: (id: string): string => `id: ${id}\nevent: reset\ndata: {}\n\n`,
  /** Shows that the stream is open, with the id up to which the reader has everything. */
  alive: (id: string): string => `id: ${id}\nevent: alive\ndata: {}\n\n`,
};

/**
 * Bytes buffered for a slow reader. Beyond this the stream is closed; the reader reconnects and continues where it was.
 */
const MAX_BUFFERED = 65_536;
/** Greatest age of the viewer's relations before they are requested again, and when the stream ends, in milliseconds. */
const FRESH_MS = 60_000;
const OLDEST_MS = 180_000;

/** How much earlier than after `silence_ms` an event may be sent, in milliseconds: timers are not exact. */
const TOLERANCE_MS = 200;

/** The settings that the streams of a gateway share. */
export interface StreamSettings {
  /** Requests the caller's related people and classes. */
  requestViewer: (caller: Caller) => Promise<Viewer>;
  /** Longest time without any data, in milliseconds. */
  silence_ms: number;
  /** Monotonic time in milliseconds. */
  clock: () => number;
}

export interface StreamStart {
  feed: ChangeFeed;
  caller: Caller;
  viewer: Viewer;
  /** The id of the last event that the reader received. */
  last_event_id: string | undefined;
}

/** The connection of an open page. */
export type PageConnection = Pick<Socket, 'write' | 'writableLength' | 'destroySoon' | 'destroy'>;

/** The stream of changes to one open page. Thousands are open: its fields are all the memory that it needs. */
export class ChangeStream {
  readonly caller: Caller;
  readonly #connection: PageConnection;
  readonly #settings: StreamSettings;
  readonly #feed: ChangeFeed;
  #viewer: Viewer;
  #viewerLoadedAt: number;
  #sentAt: number;
  #recent: RecentChanges;
  /** The number of the last change that was handled. */
  #position: number;
  #isSending = false;
  #hasEnded = false;

  constructor(
    connection: PageConnection,
    settings: StreamSettings,
    { feed, caller, viewer, last_event_id }: StreamStart,
  ) {
    this.caller = caller;
    this.#connection = connection;
    this.#settings = settings;
    this.#feed = feed;
    this.#viewer = viewer;
    this.#viewerLoadedAt = this.#sentAt = settings.clock();
    this.#recent = feed.recent;
    const known = last_event_id === undefined ? feed.recent.last : feed.recent.numberOf(last_event_id);
    this.#position = known ?? feed.recent.last;
    const id = feed.recent.idOf(this.#position);
    this.#send(eventText.begin(id) + (known === undefined ? eventText.reset(id) : ''));
    feed.addListener(this);
    this.readChanges();
  }

  /** Ends the stream; the reader reconnects. */
  end(): void {
    if (this.#hasEnded) return;
    this.leave();
    this.#connection.destroySoon();
  }

  /** Must be called when the connection closes. */
  leave(): void {
    this.#hasEnded = true;
    this.#feed.removeListener(this);
  }

  /** Must be called regularly: requests the viewer's relations again when they are due. */
  refreshWhenDue(): void {
    const now = this.#settings.clock();
    const roundOf = (ms: number): number => Math.floor((ms + this.#feed.refresh_offset_ms) / FRESH_MS);
    if (roundOf(now) > roundOf(this.#viewerLoadedAt)) void this.#refreshViewer(now - this.#viewerLoadedAt > OLDEST_MS);
  }

  /**
   * Sends `alive` if nothing was sent for about `silence_ms`. Returns after how many milliseconds it must be called
   * again; undefined once the stream has ended.
   */
  sendAlive(): number | undefined {
    if (this.#hasEnded) return undefined;
    const { silence_ms, clock } = this.#settings;
    const silent_ms = clock() - this.#sentAt;
    if (silent_ms < silence_ms - TOLERANCE_MS) return silence_ms - silent_ms;
    this.#send(this.#recent.aliveEvent(this.#position, eventText.alive));
    return silence_ms;
  }

  /** Sends the changes that the reader has not received. */
  readChanges(): void {
    if (this.#isSending) return;
    const waiting = this.#sendUntilRefresh();
    if (waiting === undefined) return;
    this.#isSending = true;
    void waiting.then(() => {
      this.#isSending = false;
      this.readChanges();
    });
  }

  #isBehind(): boolean {
    const { recent } = this.#feed;
    return !this.#hasEnded && (recent !== this.#recent || this.#position < recent.last);
  }

  /**
   * Sends the waiting changes in order. Returns a promise at a change that may alter what the viewer can access: it is
   * sent, with later ones, when that is known.
   */
  #sendUntilRefresh(): Promise<void> | undefined {
    while (this.#isBehind()) {
      const { recent } = this.#feed;
      const hint = recent === this.#recent ? recent.get(this.#position + 1) : undefined;
      if (hint === undefined) {
        this.#recent = recent;
        this.#position = recent.last;
        this.#send(eventText.reset(recent.idOf(recent.last)));
        continue;
      }
      if (canChangeRelations(this.#viewer, hint))
        return this.#refreshViewer(true).then(() => this.#sendNext(recent, hint));
      this.#sendNext(recent, hint);
    }
    return undefined;
  }

  #sendNext(recent: RecentChanges, hint: Hint): void {
    if (this.#hasEnded) return;
    this.#position += 1;
    const change = visibleChange(this.#viewer, hint);
    if (change === undefined) return;
    // Readers of everything receive the same bytes.
    const isWhole = change.user_ids === hint.user_ids;
    this.#send(
      isWhole
        ? recent.changeEvent(this.#position, (id) => eventText.change(id, change))
        : eventText.change(recent.idOf(this.#position), change),
    );
  }

  /** Refreshes the viewer. On failure the old one stays valid, unless `isMust` is set: then the stream ends. */
  async #refreshViewer(isMust: boolean): Promise<void> {
    const before = this.#viewerLoadedAt;
    this.#viewerLoadedAt = this.#settings.clock();
    try {
      this.#viewer = await this.#settings.requestViewer(this.caller);
    } catch {
      this.#viewerLoadedAt = before;
      if (isMust) this.end();
    }
  }

  #send(bytes: string | Buffer): void {
    if (this.#hasEnded) return;
    this.#sentAt = this.#settings.clock();
    this.#connection.write(bytes);
    if (this.#connection.writableLength <= MAX_BUFFERED) return;
    this.leave();
    this.#connection.destroy();
  }
}

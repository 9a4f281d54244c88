import { Readable } from 'node:stream';
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
/** Milliseconds after which the viewer's relations are requested again, and their greatest age. */
const FRESH_MS = 60_000;
const OLDEST_MS = 180_000;

interface StreamOptions {
  feed: ChangeFeed;
  viewer: Viewer;
  /** Requests the viewer's related people and classes again. */
  requestViewer: () => Promise<Viewer>;
  /** The id of the last event that the reader received. */
  last_event_id: string | undefined;
  /** Longest time without any data, in milliseconds. */
  silence_ms: number;
  clock?: () => number;
}

/** The stream of changes to one open page. */
export class ChangeStream {
  readonly #options: Required<StreamOptions>;
  readonly out = new Readable({ read: () => {} });
  #viewer: Viewer;
  #viewerLoadedAt: number;
  #sentAt: number;
  #recent: RecentChanges;
  /** The number of the last change that was handled. */
  #position: number;
  #isSending = false;
  #hasEnded = false;
  readonly #unlisten: () => void;

  constructor(options: StreamOptions) {
    this.#options = { clock: () => performance.now(), ...options };
    const { feed, viewer, last_event_id } = options;
    this.#viewer = viewer;
    this.#viewerLoadedAt = this.#sentAt = this.#options.clock();
    this.#recent = feed.recent;
    const known = last_event_id === undefined ? feed.recent.last : feed.recent.numberOf(last_event_id);
    this.#position = known ?? feed.recent.last;
    const id = feed.recent.idOf(this.#position);
    this.#send(eventText.begin(id) + (known === undefined ? eventText.reset(id) : ''));
    this.#unlisten = feed.listen(() => this.#startSending());
    this.out.once('close', () => this.#leave());
    this.#startSending();
  }

  /** Ends the stream; the reader reconnects. */
  end(): void {
    if (this.#hasEnded) return;
    this.#leave();
    this.out.push(null);
  }

  #leave(): void {
    this.#hasEnded = true;
    this.#unlisten();
  }

  /** Must be called regularly: refreshes the viewer and sends `alive` when the stream was silent for `silence_ms`. */
  tick(): void {
    const now = this.#options.clock();
    if (now - this.#viewerLoadedAt > FRESH_MS) void this.#refreshViewer(now - this.#viewerLoadedAt > OLDEST_MS);
    if (now - this.#sentAt >= this.#options.silence_ms) this.#send(eventText.alive(this.#recent.idOf(this.#position)));
  }

  #startSending(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendWaiting().finally(() => {
      this.#isSending = false;
      if (this.#isBehind()) this.#startSending();
    });
  }

  #isBehind(): boolean {
    const { recent } = this.#options.feed;
    return !this.#hasEnded && (recent !== this.#recent || this.#position < recent.last);
  }

  /** Sends the waiting changes in order. */
  async #sendWaiting(): Promise<void> {
    while (this.#isBehind()) {
      const { recent } = this.#options.feed;
      const hint = recent === this.#recent ? recent.get(this.#position + 1) : undefined;
      if (hint === undefined) {
        this.#recent = recent;
        this.#position = recent.last;
        this.#send(eventText.reset(recent.idOf(recent.last)));
        continue;
      }
      // The change may alter what the viewer can access. Nothing is sent until that is known.
      if (canChangeRelations(this.#viewer, hint)) await this.#refreshViewer(true);
      if (this.#hasEnded) return;
      this.#position += 1;
      const change = visibleChange(this.#viewer, hint);
      if (change !== undefined) this.#send(eventText.change(recent.idOf(this.#position), change));
    }
  }

  /** Refreshes the viewer. On failure the old one stays valid, unless `isMust` is set: then the stream ends. */
  async #refreshViewer(isMust: boolean): Promise<void> {
    const before = this.#viewerLoadedAt;
    this.#viewerLoadedAt = this.#options.clock();
    try {
      this.#viewer = await this.#options.requestViewer();
    } catch {
      this.#viewerLoadedAt = before;
      if (isMust) this.end();
    }
  }

  #send(text: string): void {
    if (this.#hasEnded) return;
    this.#sentAt = this.#options.clock();
    this.out.push(text);
    if (this.out.readableLength <= MAX_BUFFERED) return;
    this.#leave();
    this.out.destroy();
  }
}

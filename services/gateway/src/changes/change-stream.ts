import { Readable } from 'node:stream';
import type { Feed } from './change-feeds.ts';
import type { RecentChanges } from './recent-changes.ts';
import { canChangeRelations, visibleChange, type Viewer } from './change-visibility.rules.ts';

/** Milliseconds until a browser connects again. */
const RETRY_MS = 1_000;

/** Texts of a stream of server-sent events (HTML Standard, §9.2). An event without data is none, but its id counts. */
const eventText = {
  begin: (id: string): string => `retry: ${RETRY_MS}\nid: ${id}\n\n`,
  change: (id: string, change: object): string => `id: ${id}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`,
  reset: (id: string): string => `id: ${id}\nevent: reset\ndata: {}\n\n`,
  /** Says that the stream is there, and up to where its reader has heard everything. */
  alive: (id: string): string => `:\nid: ${id}\n\n`,
};

/** Bytes that wait for a slow reader; beyond it is cut off, and comes back to what it missed. */
const MOST_WAITING = 65_536;
/** Whom and what a viewer has to do with is asked again after this, and never older than the longest, in milliseconds. */
const FRESH_MS = 60_000;
const OLDEST_MS = 180_000;

interface StreamOptions {
  feed: Feed;
  viewer: Viewer;
  /** Asks again whom and what they have to do with. */
  look: () => Promise<Viewer>;
  /** What they have heard last. */
  last_event_id: string | undefined;
  /** At most so long nothing is sent. */
  comment_ms: number;
  clock?: () => number;
}

/** One page that is told what changes. */
export class ChangeStream {
  readonly #options: Required<StreamOptions>;
  readonly out = new Readable({ read: () => {} });
  #viewer: Viewer;
  #lookedAt: number;
  #sentAt: number;
  #recent: RecentChanges;
  /** Up to where it was told. */
  #place: number;
  #isTelling = false;
  #isOver = false;
  readonly #unlisten: () => void;

  constructor(options: StreamOptions) {
    this.#options = { clock: Date.now, ...options };
    const { feed, viewer, last_event_id } = options;
    this.#viewer = viewer;
    this.#lookedAt = this.#sentAt = this.#options.clock();
    this.#recent = feed.recent;
    const known = last_event_id === undefined ? feed.recent.last : feed.recent.placeOf(last_event_id);
    this.#place = known ?? feed.recent.last;
    const id = feed.recent.idOf(this.#place);
    this.#send(eventText.begin(id) + (known === undefined ? eventText.reset(id) : ''));
    this.#unlisten = feed.listen(() => this.#tellSoon());
    this.out.once('close', () => this.#leave());
    this.#tellSoon();
  }

  /** Nothing more is told; whoever listened comes back. */
  end(): void {
    if (this.#isOver) return;
    this.#leave();
    this.out.push(null);
  }

  #leave(): void {
    this.#isOver = true;
    this.#unlisten();
  }

  /** To be called once in a while: whoever hears nothing cannot know whether there is nothing. */
  tick(): void {
    const now = this.#options.clock();
    if (now - this.#lookedAt > FRESH_MS) void this.#lookAgain(now - this.#lookedAt > OLDEST_MS);
    if (now - this.#sentAt >= this.#options.comment_ms) this.#send(eventText.alive(this.#recent.idOf(this.#place)));
  }

  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    void this.#tell().finally(() => {
      this.#isTelling = false;
      if (this.#isBehind()) this.#tellSoon();
    });
  }

  #isBehind(): boolean {
    const { recent } = this.#options.feed;
    return !this.#isOver && (recent !== this.#recent || this.#place < recent.last);
  }

  /** Tells what there is, in order. */
  async #tell(): Promise<void> {
    while (this.#isBehind()) {
      const { recent } = this.#options.feed;
      const hint = recent === this.#recent ? recent.get(this.#place + 1) : undefined;
      if (hint === undefined) {
        this.#recent = recent;
        this.#place = recent.last;
        this.#send(eventText.reset(recent.idOf(recent.last)));
        continue;
      }
      // From here on other things may be theirs: without knowing which, nothing is told.
      if (canChangeRelations(this.#viewer, hint)) await this.#lookAgain(true);
      if (this.#isOver) return;
      this.#place += 1;
      const change = visibleChange(this.#viewer, hint);
      if (change !== undefined) this.#send(eventText.change(recent.idOf(this.#place), change));
    }
  }

  /** What was known goes on to count for a while when nobody can be asked, unless it must be known. */
  async #lookAgain(isMust: boolean): Promise<void> {
    const before = this.#lookedAt;
    this.#lookedAt = this.#options.clock();
    try {
      this.#viewer = await this.#options.look();
    } catch {
      this.#lookedAt = before;
      if (isMust) this.end();
    }
  }

  #send(text: string): void {
    if (this.#isOver) return;
    this.#sentAt = this.#options.clock();
    this.out.push(text);
    if (this.out.readableLength <= MOST_WAITING) return;
    this.#leave();
    this.out.destroy();
  }
}

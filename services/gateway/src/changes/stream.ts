import { Readable } from 'node:stream';
import { eventText } from './event-text.ts';
import type { Feed } from './feeds.ts';
import type { Ring } from './ring.ts';
import { mayMove, seenBy, type Viewer } from './visible.rules.ts';

/** Bytes that wait for a slow reader; beyond it is cut off, and comes back to what it missed. */
const MOST_WAITING = 65_536;
/** Whom and what a viewer has to do with is asked again after this, and never older than the longest, in milliseconds. */
const FRESH_MS = 60_000;
const OLDEST_MS = 180_000;

export interface StreamOptions {
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
  #ring: Ring;
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
    this.#ring = feed.ring;
    const known = last_event_id === undefined ? feed.ring.last : feed.ring.placeOf(last_event_id);
    this.#place = known ?? feed.ring.last;
    const id = feed.ring.idOf(this.#place);
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
    if (now - this.#sentAt >= this.#options.comment_ms) this.#send(eventText.alive(this.#ring.idOf(this.#place)));
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
    const { ring } = this.#options.feed;
    return !this.#isOver && (ring !== this.#ring || this.#place < ring.last);
  }

  /** Tells what there is, in order. */
  async #tell(): Promise<void> {
    while (this.#isBehind()) {
      const { ring } = this.#options.feed;
      const hint = ring === this.#ring ? ring.get(this.#place + 1) : undefined;
      if (hint === undefined) {
        this.#ring = ring;
        this.#place = ring.last;
        this.#send(eventText.reset(ring.idOf(ring.last)));
        continue;
      }
      // From here on other things may be theirs: without knowing which, nothing is told.
      if (mayMove(this.#viewer, hint)) await this.#lookAgain(true);
      if (this.#isOver) return;
      this.#place += 1;
      const change = seenBy(this.#viewer, hint);
      if (change !== undefined) this.#send(eventText.change(ring.idOf(this.#place), change));
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

import { type Bus, receiveHints } from '@teaching/kit';
import type { Pacer } from './pacer.ts';
import { RETENTION_MS, RecentChanges } from './recent-changes.ts';

const SWEEP_MS = 10_000;
const MINUTE_MS = 60_000;

/** Receives the changes of a feed. */
export interface FeedListener {
  /** Called after new changes and when the list is replaced. */
  readChanges(): void;
}

/** The changes received for one organization. */
export interface ChangeFeed {
  /** Replaced when changes may be missing. The numbers of the old list do not continue. */
  readonly recent: RecentChanges;
  /** Resolves when every later change is received. */
  readonly ready: Promise<void>;
  /**
   * The relations of all viewers of an organization become due together, so that one call reads those of many, and of
   * each organization at another time: the offset in milliseconds.
   */
  readonly refresh_offset_ms: number;
  addListener(listener: FeedListener): void;
  removeListener(listener: FeedListener): void;
}

/** A feed that calls its listeners in slices. Changes that arrive meanwhile are read in the next round. */
class OpenFeed implements ChangeFeed {
  recent = new RecentChanges();
  readonly ready: Promise<void>;
  readonly stop: () => void;
  readonly refresh_offset_ms = Math.random() * MINUTE_MS;
  /** When the last listener left, in epoch milliseconds. */
  idle_since: number;
  readonly listeners = new Set<FeedListener>();
  readonly #pacer: Pacer;
  readonly #clock: () => number;
  #isCalling = false;
  #mustCallAgain = false;

  constructor({ ready, stop }: { ready: Promise<void>; stop: () => void }, pacer: Pacer, clock: () => number) {
    this.ready = ready;
    this.stop = stop;
    this.#pacer = pacer;
    this.#clock = clock;
    this.idle_since = clock();
  }

  addListener(listener: FeedListener): void {
    this.listeners.add(listener);
  }

  removeListener(listener: FeedListener): void {
    this.listeners.delete(listener);
    this.idle_since = this.#clock();
  }

  async callListeners(): Promise<void> {
    this.#mustCallAgain = true;
    if (this.#isCalling) return;
    this.#isCalling = true;
    while (this.#mustCallAgain) {
      this.#mustCallAgain = false;
      await this.#pacer.forEach(this.listeners, (listener) => listener.readChanges());
    }
    this.#isCalling = false;
  }
}

/**
 * Receives the changes of organizations with an open page, and continues after the last page closes for as long as
 * changes are kept.
 */
export const createChangeFeeds = (bus: Bus, pacer: Pacer, clock: () => number = () => performance.now()) => {
  const feeds = new Map<string, OpenFeed>();
  const hints = receiveHints(
    bus,
    (org_id, received) => {
      const feed = feeds.get(org_id);
      if (feed === undefined) return;
      for (const hint of received) feed.recent.add(hint, clock());
      void feed.callListeners();
    },
    () => {
      for (const feed of feeds.values()) {
        feed.recent = new RecentChanges();
        void feed.callListeners();
      }
    },
  );

  const open = (org_id: string): OpenFeed => {
    const feed = new OpenFeed(hints.watch(org_id), pacer, clock);
    feeds.set(org_id, feed);
    // The next listener opens it again.
    feed.ready.catch(() => close(org_id, feed));
    return feed;
  };
  const close = (org_id: string, feed: OpenFeed): void => {
    feed.stop();
    if (feeds.get(org_id) === feed) feeds.delete(org_id);
  };
  const sweep = setInterval(() => {
    for (const [org_id, feed] of feeds)
      if (feed.listeners.size === 0 && clock() - feed.idle_since > RETENTION_MS) close(org_id, feed);
  }, SWEEP_MS).unref();

  return {
    of: (org_id: string): ChangeFeed => feeds.get(org_id) ?? open(org_id),
    stop: (): void => {
      clearInterval(sweep);
      hints.stop();
    },
  };
};

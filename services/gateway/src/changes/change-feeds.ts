import { type Bus, receiveHints } from '@teaching/kit';
import { RETENTION_MS, RecentChanges } from './recent-changes.ts';

const SWEEP_MS = 10_000;

/** The changes received for one organization. */
export interface ChangeFeed {
  /** Replaced when changes may be missing. The numbers of the old list do not continue. */
  readonly recent: RecentChanges;
  /** Resolves when every later change is received. */
  readonly ready: Promise<void>;
  /** Calls `more` after each new change and when the list is replaced; returns a function that stops this. */
  listen(more: () => void): () => void;
}

interface OpenFeed extends ChangeFeed {
  recent: RecentChanges;
  listeners: Set<() => void>;
  /** When the last listener left, in epoch milliseconds. */
  idle_since: number;
  stop(): void;
}

/**
 * Receives the changes of organizations with an open page, and continues after the last page closes for as long as
 * changes are kept.
 */
export const createChangeFeeds = (bus: Bus, clock: () => number = () => performance.now()) => {
  const feeds = new Map<string, OpenFeed>();
  const hints = receiveHints(
    bus,
    (org_id, received) => {
      const feed = feeds.get(org_id);
      if (feed === undefined) return;
      for (const hint of received) feed.recent.add(hint, clock());
      for (const more of feed.listeners) more();
    },
    () => {
      for (const feed of feeds.values()) {
        feed.recent = new RecentChanges();
        for (const more of feed.listeners) more();
      }
    },
  );

  const open = (org_id: string): OpenFeed => {
    const { ready, stop } = hints.watch(org_id);
    const listeners = new Set<() => void>();
    const feed: OpenFeed = {
      recent: new RecentChanges(),
      ready,
      listeners,
      idle_since: clock(),
      stop,
      listen: (more) => {
        listeners.add(more);
        return () => {
          listeners.delete(more);
          feed.idle_since = clock();
        };
      },
    };
    feeds.set(org_id, feed);
    // The next listener opens it again.
    ready.catch(() => close(org_id, feed));
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

import { type Hint, hintsOf, hasHints } from '@teaching/contracts';
import { readJson } from '../base/json.ts';
import { WATCH_EXPIRY_MS, WatchedOrganizations } from '../rpc/receive-hints.ts';
import { hintSubject, WATCHED_SUBJECT } from '../rpc/subjects.ts';
import { record } from '../telemetry/metrics.ts';
import type { EntryRow } from './log-entry.ts';
import type { SourceDeps } from './source-deps.ts';

/** Sends hints about changes to gateways, for organizations with open pages. */
export interface HintPublisher {
  publish(rows: readonly EntryRow[]): void;
  stop(): void;
}

/**
 * Publishes hints for numbered events, so a client that reads because of a hint finds the change. Hints may be lost:
 * they only cause a read. Events of organizations without open pages are not read.
 */
export const createHintPublisher = ({
  service,
  bus,
  log,
}: Pick<SourceDeps, 'service' | 'bus' | 'log'>): HintPublisher => {
  /** The time until which each organization is watched, in milliseconds of `performance.now()`. */
  const watched = new Map<string, number>();
  /** Until this time not every gateway has reported, so every organization counts as watched. */
  let unsureUntil = performance.now() + WATCH_EXPIRY_MS;

  const subscription = bus.listen(WATCHED_SUBJECT, {
    callback: (error, message) => {
      const watchedMessage = error === null ? WatchedOrganizations.safeParse(readJson(message.data)) : undefined;
      if (watchedMessage?.success !== true) return;
      const now = performance.now();
      for (const [org_id, until] of watched) if (until < now) watched.delete(org_id);
      for (const org_id of watchedMessage.data.org_ids) watched.set(org_id, now + WATCH_EXPIRY_MS);
    },
  });
  const unlisten = bus.onUp(() => {
    unsureUntil = performance.now() + WATCH_EXPIRY_MS;
  });

  const hintsIn = ({ type, data }: EntryRow): readonly Hint[] => {
    try {
      return data === null ? [] : hintsOf(type, JSON.parse(data));
    } catch (error) {
      log.warn({ err: error, type }, 'an event cannot be read, so no hint is published for it');
      return [];
    }
  };

  return {
    publish: (rows) => {
      if (watched.size === 0 && performance.now() > unsureUntil) return;
      const now = performance.now();
      const isWatched = (org_id: string): boolean => now < unsureUntil || (watched.get(org_id) ?? 0) > now;
      const hintedRows = rows.filter(({ org_id, type }) => hasHints(type) && isWatched(org_id));
      for (const [org_id, events] of Map.groupBy(hintedRows, (row) => row.org_id)) {
        const hints = events.flatMap(hintsIn);
        bus.publishSoon(hintSubject(service, org_id), Buffer.from(JSON.stringify(hints)));
        record.hinted(service, hints.length);
      }
    },
    stop: () => {
      unlisten();
      subscription.unsubscribe();
    },
  };
};

import { type Hint, hintsOf, hasHints } from '@teaching/contracts';
import { readJson } from '../base/json.ts';
import { WATCH_EXPIRY_MS, Watched } from '../rpc/receive-hints.ts';
import { hintSubject, WATCHED } from '../rpc/subjects.ts';
import { record } from '../telemetry/metrics.ts';
import type { EntryRow } from './log-entry.ts';
import type { SourceDeps } from './source-deps.ts';

/** Tells gateways what changed, where somebody looks. */
export interface HintPublisher {
  tell(rows: readonly EntryRow[]): void;
  stop(): void;
}

/**
 * Hints are made of events that have their numbers, so whoever asks because of one finds it done. Nobody waits for them
 * and nobody repeats them: nothing is made of them but a question. Where nobody looks, no event is read.
 */
export const createHintPublisher = ({
  service,
  bus,
  log,
}: Pick<SourceDeps, 'service' | 'bus' | 'log'>): HintPublisher => {
  /** Until when somebody looks, by organization; in epoch milliseconds. */
  const watched = new Map<string, number>();
  /** Who has not heard of all gateways yet takes every organization for watched. */
  let unsureUntil = Date.now() + WATCH_EXPIRY_MS;

  const subscription = bus.listen(WATCHED, {
    callback: (error, message) => {
      const said = error === null ? Watched.safeParse(readJson(message.data)) : undefined;
      if (said?.success !== true) return;
      const now = Date.now();
      for (const [org_id, until] of watched) if (until < now) watched.delete(org_id);
      for (const org_id of said.data.org_ids) watched.set(org_id, now + WATCH_EXPIRY_MS);
    },
  });
  const unlisten = bus.onUp(() => {
    unsureUntil = Date.now() + WATCH_EXPIRY_MS;
  });

  const hintsIn = ({ type, data }: EntryRow): readonly Hint[] => {
    try {
      return data === null ? [] : hintsOf(type, JSON.parse(data));
    } catch (error) {
      log.warn({ err: error, type }, 'nothing is hinted at by an event that cannot be read');
      return [];
    }
  };

  return {
    tell: (rows) => {
      if (watched.size === 0 && Date.now() > unsureUntil) return;
      const now = Date.now();
      const isWatched = (org_id: string): boolean => now < unsureUntil || (watched.get(org_id) ?? 0) > now;
      const told = rows.filter(({ org_id, type }) => hasHints(type) && isWatched(org_id));
      for (const [org_id, events] of Map.groupBy(told, (row) => row.org_id)) {
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

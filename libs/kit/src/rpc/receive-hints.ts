import { Hint } from '@teaching/contracts';
import { z } from 'zod';
import { compiledSchema } from '../base/compiled-schema.ts';
import { readJson } from '../base/json.ts';
import type { Bus } from './message-bus.ts';
import { hintSubject, WATCHED_SUBJECT } from './subjects.ts';
import type { MovableSubscription } from './subscriptions.ts';

/** How often gateways publish the organizations with an open page, in milliseconds. */
export const WATCH_INTERVAL_MS = 5_000;
/** The time after which services forget an organization that no gateway has published again, in milliseconds. */
export const WATCH_EXPIRY_MS = 3 * WATCH_INTERVAL_MS;

/** The message in which gateways publish the organizations with an open page. */
export const WatchedOrganizations = z.object({ org_ids: z.array(z.string()) });
/**
 * Hints at changes in one organization: one message for entries that were numbered together. Unknown kinds are
 * skipped.
 */
const HintMessage = z.array(z.unknown());
const hintsIn = (data: Uint8Array): Hint[] => {
  const message = HintMessage.safeParse(readJson(data));
  return (message.data ?? []).flatMap((one) => compiledSchema(Hint).safeParse(one).data ?? []);
};

/** Receives the hints of organizations with an open page. */
export interface HintReceiver {
  /** Also receives the hints of this organization. `ready` resolves when the broker has the subscription. */
  watch(org_id: string): { ready: Promise<void>; stop: () => void };
  stop(): void;
}

/**
 * Receives hints of services. Hints are lost while the broker is disconnected, and while a new leader of a service
 * does not know yet which organizations have an open page. `missed` is called when hints may have been lost.
 */
export const receiveHints = (
  bus: Bus,
  received: (org_id: string, hints: readonly Hint[]) => void,
  missed: () => void,
): HintReceiver => {
  const watched = new Map<string, MovableSubscription>();

  const publishWatched = (org_ids: readonly string[]): void => {
    if (org_ids.length > 0 && bus.isUp()) bus.publishSoon(WATCHED_SUBJECT, Buffer.from(JSON.stringify({ org_ids })));
  };
  const publishAllWatched = (): void => publishWatched([...watched.keys()]);
  const listen = (org_id: string): MovableSubscription =>
    bus.listen(hintSubject('*', org_id), {
      callback: (error, message) => {
        const hints = error === null ? hintsIn(message.data) : [];
        if (hints.length > 0) received(org_id, hints);
      },
    });
  const publishing = setInterval(publishAllWatched, WATCH_INTERVAL_MS).unref();
  const unlisten = bus.onUp(() => {
    publishAllWatched();
    missed();
  });

  return {
    watch: (org_id) => {
      const listening = listen(org_id);
      watched.set(org_id, listening);
      publishWatched([org_id]);
      return {
        // The message is sent at the end of this turn. The broker has it once it confirms a later flush.
        ready: new Promise((resolve) => setImmediate(resolve)).then(() => bus.nc.flush()),
        stop: () => {
          watched.delete(org_id);
          listening.unsubscribe();
        },
      };
    },
    stop: () => {
      clearInterval(publishing);
      unlisten();
      for (const listening of watched.values()) listening.unsubscribe();
    },
  };
};

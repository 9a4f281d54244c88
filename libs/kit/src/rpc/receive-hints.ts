import { Hint } from '@teaching/contracts';
import { z } from 'zod';
import { compiledSchema } from '../base/compiled-schema.ts';
import { readJson } from '../base/json.ts';
import type { Bus } from './connect.ts';
import { hintSubject, WATCHED } from './subjects.ts';
import type { MovableSubscription } from './subscriptions.ts';

/** How often gateways name the organizations with an open page, and after which time services forget one, in milliseconds. */
export const WATCH_INTERVAL_MS = 5_000;
export const WATCH_EXPIRY_MS = 3 * WATCH_INTERVAL_MS;

/** Organizations with an open page. */
export const Watched = z.object({ org_ids: z.array(z.string()) });
/** The changes in one of them: one message for entries that were numbered together. A newer service may send kinds that are unknown here. */
const Message = z.array(z.unknown());
const hintsIn = (data: Uint8Array): Hint[] => {
  const message = Message.safeParse(readJson(data));
  return (message.data ?? []).flatMap((one) => compiledSchema(Hint).safeParse(one).data ?? []);
};

/** Receives the hints of organizations with an open page. */
export interface HintReceiver {
  /** Receives the hints of this organization, too. `ready` resolves when the broker knows. */
  watch(org_id: string): { ready: Promise<void>; stop: () => void };
  stop(): void;
}

/**
 * Receives hints of services. A hint is lost with the broker, or while a new leader of a service does not know yet which
 * organizations have an open page: `missed` is called when hints may have been lost.
 */
export const receiveHints = (
  bus: Bus,
  heard: (org_id: string, hints: readonly Hint[]) => void,
  missed: () => void,
): HintReceiver => {
  const watched = new Map<string, MovableSubscription>();

  const say = (org_ids: readonly string[]): void => {
    if (org_ids.length > 0 && bus.isUp()) bus.publishSoon(WATCHED, Buffer.from(JSON.stringify({ org_ids })));
  };
  const sayAll = (): void => say([...watched.keys()]);
  const listen = (org_id: string): MovableSubscription =>
    bus.listen(hintSubject('*', org_id), {
      callback: (error, message) => {
        const hints = error === null ? hintsIn(message.data) : [];
        if (hints.length > 0) heard(org_id, hints);
      },
    });
  const saying = setInterval(sayAll, WATCH_INTERVAL_MS).unref();
  const unlisten = bus.onUp(() => {
    sayAll();
    missed();
  });

  return {
    watch: (org_id) => {
      const listening = listen(org_id);
      watched.set(org_id, listening);
      say([org_id]);
      return {
        // The publish leaves with this turn of the event loop; the broker has it once it confirms a flush after that.
        ready: new Promise((resolve) => setImmediate(resolve)).then(() => bus.nc.flush()),
        stop: () => {
          watched.delete(org_id);
          listening.unsubscribe();
        },
      };
    },
    stop: () => {
      clearInterval(saying);
      unlisten();
      for (const listening of watched.values()) listening.unsubscribe();
    },
  };
};

import { Hint } from '@teaching/contracts';
import { z } from 'zod';
import { compiled } from '../base/compiled.ts';
import { readJson } from '../base/json.ts';
import type { Bus } from './connect.ts';
import { hintSubject, WATCHED } from './subjects.ts';
import type { Listening } from './subscriptions.ts';

/** How often it is said where somebody looks, and after which time that is forgotten, in milliseconds. */
export const SAY_MS = 5_000;
export const FORGET_MS = 3 * SAY_MS;

/** Organizations in which somebody looks at a page. */
export const Watched = z.object({ org_ids: z.array(z.string()) });
/** What changed in one of them: one message for what was numbered together. What a newer service says may be unknown here. */
const Message = z.array(z.unknown());
const hintsIn = (data: Uint8Array): Hint[] => {
  const message = Message.safeParse(readJson(data));
  return (message.data ?? []).flatMap((one) => compiled(Hint).safeParse(one).data ?? []);
};

/** Hints of the organizations in which somebody looks. */
export interface HintReceiver {
  /** Hears what changes in this one, too; resolves when the broker knows. */
  watch(org_id: string): { ready: Promise<void>; stop: () => void };
  stop(): void;
}

/**
 * Hears what services hint at. A hint is lost when the broker is, or while a service that has just begun to lead does not
 * know yet where somebody looks: `missed` is called when some may have been.
 */
export const receiveHints = (
  bus: Bus,
  heard: (org_id: string, hints: readonly Hint[]) => void,
  missed: () => void,
): HintReceiver => {
  const watched = new Map<string, Listening>();

  const say = (org_ids: readonly string[]): void => {
    if (org_ids.length > 0 && bus.isUp()) bus.publishSoon(WATCHED, Buffer.from(JSON.stringify({ org_ids })));
  };
  const sayAll = (): void => say([...watched.keys()]);
  const listen = (org_id: string): Listening =>
    bus.listen(hintSubject('*', org_id), {
      callback: (error, message) => {
        const hints = error === null ? hintsIn(message.data) : [];
        if (hints.length > 0) heard(org_id, hints);
      },
    });
  const saying = setInterval(sayAll, SAY_MS).unref();
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
        // What was handed over for publishing leaves with the turn; the broker has it when it has answered after that.
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

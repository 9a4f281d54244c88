import { sessionFetch } from './api.ts';
import type { Hint } from './concern.rules.ts';
import { invalidateAll, applyHint } from './query.ts';
import { session } from './session.ts';

const ADDRESS = '/api/v1/changes';
const LOCK = 'changes';
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** A window that nobody sees goes on listening for so long. */
const AWAY_MS = 30_000;

const isTexts = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string');

const hintOf = (data: string): Hint | undefined => {
  const given: unknown = JSON.parse(data);
  if (typeof given !== 'object' || given === null || !('kind' in given) || typeof given.kind !== 'string')
    return undefined;
  return {
    kind: given.kind,
    ids: 'ids' in given && isTexts(given.ids) ? given.ids : [],
    clazz_id: 'clazz_id' in given && typeof given.clazz_id === 'string' ? given.clazz_id : null,
    user_ids: 'user_ids' in given && isTexts(given.user_ids) ? given.user_ids : [],
  };
};

/** A refusal may be a session that has to be refreshed: a call finds out. Answers whether somebody is still logged in. */
const isStillIn = async (): Promise<boolean> => {
  await sessionFetch('/auth/session').catch(() => undefined);
  return session.value.state === 'in';
};

/**
 * Reads the stream until `end` is aborted: each text of a change, and null where something may have been missed, which is so at once
 * for an heir: one that begins anew does not know where another one ended.
 */
const read = (tell: (data: string | null) => void, end: AbortSignal, isHeir: boolean): void => {
  let refused = 0;
  let hasMissed = isHeir;
  const open = (): void => {
    if (end.aborted) return;
    const source = new EventSource(ADDRESS);
    const close = (): void => source.close();
    end.addEventListener('abort', close);
    source.addEventListener('open', () => {
      if (hasMissed) tell(null);
      hasMissed = false;
      refused = 0;
    });
    source.addEventListener('change', ({ data }) => {
      if (typeof data === 'string') tell(data);
    });
    source.addEventListener('reset', () => tell(null));
    source.addEventListener('error', () => {
      // The browser tries again by itself, except after a refusal.
      if (source.readyState !== EventSource.CLOSED) return;
      end.removeEventListener('abort', close);
      refused += 1;
      hasMissed = true;
      const again = async (): Promise<void> => {
        if (await isStillIn()) open();
      };
      setTimeout(() => void again(), Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (refused - 1)));
    });
  };
  open();
};

const take = (data: string | null): void => {
  const hint = data === null ? undefined : hintOf(data);
  if (data === null) invalidateAll();
  else if (hint !== undefined) applyHint(hint);
};

/**
 * Takes part in listening until `end` is aborted. One window of a browser has the stream and tells the others, since a browser opens few
 * connections to one place; when it goes, the next one has it.
 */
const takePart = (end: AbortSignal): void => {
  const windows = new BroadcastChannel('changes');
  windows.addEventListener('message', ({ data }) => take(typeof data === 'string' ? data : null));
  const tell = (data: string | null): void => {
    take(data);
    windows.postMessage(data);
  };
  const untilEnd = new Promise<void>((done) => {
    end.addEventListener('abort', () => {
      windows.close();
      done();
    });
  });
  const lead = async (): Promise<void> => {
    const { held = [] } = await navigator.locks.query();
    const isHeir = held.some(({ name }) => name === LOCK);
    await navigator.locks.request(LOCK, { signal: end }, () => {
      read(tell, end, isHeir);
      return untilEnd;
    });
  };
  lead().catch(() => undefined);
};

/** Listens for changes while somebody is logged in and sees the page. */
export const followChanges = (): void => {
  let part: AbortController | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const leave = (): void => {
    part?.abort();
    part = undefined;
  };
  const join = (): void => {
    clearTimeout(leaving);
    if (part !== undefined || session.value.state !== 'in' || document.visibilityState === 'hidden') return;
    part = new AbortController();
    takePart(part.signal);
  };
  session.subscribe(({ state }) => (state === 'in' ? join() : leave()));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') {
      leaving = setTimeout(leave, AWAY_MS);
      return;
    }
    const wasAway = part === undefined;
    join();
    if (wasAway) invalidateAll();
  });
  addEventListener('online', () => {
    leave();
    join();
    invalidateAll();
  });
};

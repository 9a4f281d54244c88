import { sessionFetch } from './api.ts';
import type { Hint } from './concern.rules.ts';
import { checkServer, onRecovery } from './connection.ts';
import { invalidateAll, applyHint } from './query.ts';
import { session } from './session.ts';

const ADDRESS = '/api/v1/changes';
const LOCK = 'changes';
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 4_000;
/** A stream without data for this time is dead: the gateway sends something every 15 s. */
const SILENCE_MS = 20_000;
/** A hidden window keeps the stream open for this time. */
const HIDDEN_MS = 30_000;

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const hintOf = (data: string): Hint | undefined => {
  const value: unknown = JSON.parse(data);
  if (typeof value !== 'object' || value === null || !('kind' in value) || typeof value.kind !== 'string')
    return undefined;
  return {
    kind: value.kind,
    ids: 'ids' in value && isStringArray(value.ids) ? value.ids : [],
    clazz_id: 'clazz_id' in value && typeof value.clazz_id === 'string' ? value.clazz_id : null,
    user_ids: 'user_ids' in value && isStringArray(value.user_ids) ? value.user_ids : [],
  };
};

/**
 * A refused stream may need a refreshed session, which this call does. Returns whether a person is still logged in.
 */
const isLoggedIn = async (): Promise<boolean> => {
  await sessionFetch('/auth/session').catch(() => undefined);
  return session.value.state === 'in';
};

/**
 * Reads the stream until `end` is aborted. It passes each change to `receive`, and null if changes may have been
 * missed. A successor always starts with null: it does not know where the previous window stopped.
 */
const readStream = (receive: (data: string | null) => void, end: AbortSignal, isSuccessor: boolean): void => {
  let refusals = 0;
  let mayHaveMissed = isSuccessor;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    clearTimeout(timer);
    source?.close();
  };
  const awaitData = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      checkServer();
      reopen();
    }, SILENCE_MS);
  };
  const open = (): void => {
    if (end.aborted) return;
    const opened = new EventSource(ADDRESS);
    source = opened;
    awaitData();
    opened.addEventListener('open', () => {
      awaitData();
      if (mayHaveMissed) receive(null);
      mayHaveMissed = false;
      refusals = 0;
    });
    opened.addEventListener('change', ({ data }) => {
      awaitData();
      if (typeof data === 'string') receive(data);
    });
    opened.addEventListener('reset', () => {
      awaitData();
      receive(null);
    });
    opened.addEventListener('alive', awaitData);
    opened.addEventListener('error', () => {
      // The browser reconnects by itself, except after a refusal.
      if (opened.readyState !== EventSource.CLOSED) return;
      refusals += 1;
      mayHaveMissed = true;
      const openIfLoggedIn = async (): Promise<void> => {
        if ((await isLoggedIn()) && source === opened) open();
      };
      clearTimeout(timer);
      timer = setTimeout(() => void openIfLoggedIn(), Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (refusals - 1)));
    });
  };
  const reopen = (): void => {
    close();
    mayHaveMissed = true;
    open();
  };
  const stopListening = onRecovery(reopen);
  end.addEventListener('abort', () => {
    close();
    stopListening();
  });
  open();
};

const applyChange = (data: string | null): void => {
  const hint = data === null ? undefined : hintOf(data);
  if (data === null) invalidateAll();
  else if (hint !== undefined) applyHint(hint);
};

/**
 * Joins the windows that follow changes, until `end` is aborted. One window of a browser has the stream and passes
 * changes to the others, since a browser opens few connections to one host. When it closes, the next window takes
 * over.
 */
const joinWindows = (end: AbortSignal): void => {
  const windows = new BroadcastChannel('changes');
  windows.addEventListener('message', ({ data }) => applyChange(typeof data === 'string' ? data : null));
  const broadcast = (data: string | null): void => {
    applyChange(data);
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
    const isSuccessor = held.some(({ name }) => name === LOCK);
    await navigator.locks.request(LOCK, { signal: end }, () => {
      readStream(broadcast, end, isSuccessor);
      return untilEnd;
    });
  };
  lead().catch(() => undefined);
};

/** Follows changes while a person is logged in and the page is visible. */
export const followChanges = (): void => {
  let membership: AbortController | undefined;
  let leaveTimer: ReturnType<typeof setTimeout> | undefined;
  const leave = (): void => {
    membership?.abort();
    membership = undefined;
  };
  const join = (): void => {
    clearTimeout(leaveTimer);
    if (membership !== undefined || session.value.state !== 'in' || document.visibilityState === 'hidden') return;
    membership = new AbortController();
    joinWindows(membership.signal);
  };
  session.subscribe(({ state }) => (state === 'in' ? join() : leave()));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') {
      leaveTimer = setTimeout(leave, HIDDEN_MS);
      return;
    }
    const wasInactive = membership === undefined;
    join();
    if (wasInactive) invalidateAll();
  });
  addEventListener('online', () => {
    leave();
    join();
    invalidateAll();
  });
};

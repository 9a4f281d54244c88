import { signal } from '@preact/signals';

/** Whether the server answers. Without network the browser knows that it cannot. */
type Connection = 'ok' | 'no-server' | 'no-network';
export const connection = signal<Connection>(navigator.onLine ? 'ok' : 'no-network');

/** A request that waits longer is a reason to check whether the server answers. */
const SLOW_MS = 3_000;
/** The longest wait for the answer to a check, and the pause before the next one. */
const CHECK_MS = 2_000;
const PAUSE_MS = 1_500;
/** Statuses of a proxy or gateway that has no answer of the server. */
const UNANSWERED = new Set([502, 503, 504]);

interface PendingRequest {
  startedAt: number;
  giveUp: AbortController;
}
const pending = new Set<PendingRequest>();
const giveUpStartedBefore = (at: number): void => {
  for (const { startedAt, giveUp } of pending) if (startedAt < at) giveUp.abort();
};

const recoveryListeners = new Set<() => void>();
/** Calls `listener` each time the server answers again. Returns the function that removes it. */
export const onRecovery = (listener: () => void): (() => void) => {
  recoveryListeners.add(listener);
  return () => recoveryListeners.delete(listener);
};

let isChecking = false;
let nextCheck: ReturnType<typeof setTimeout> | undefined;

const endChecks = (state: Connection): void => {
  clearTimeout(nextCheck);
  isChecking = false;
  connection.value = state;
};

const check = async (): Promise<void> => {
  const startedAt = performance.now();
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), CHECK_MS);
  const isAnswered = await fetch('/health/live', { cache: 'no-store', signal: end.signal }).then(
    ({ status }) => !UNANSWERED.has(status),
    () => false,
  );
  clearTimeout(timer);
  if (!isChecking) return;
  if (!isAnswered) {
    connection.value = navigator.onLine ? 'no-server' : 'no-network';
    giveUpStartedBefore(performance.now() - SLOW_MS);
    nextCheck = setTimeout(() => void check(), PAUSE_MS * (0.5 + Math.random() / 2));
    return;
  }
  const wasLost = connection.value !== 'ok';
  endChecks('ok');
  if (!wasLost) return;
  // Their connections may be dead.
  giveUpStartedBefore(startedAt);
  for (const listener of recoveryListeners) listener();
};

/** Checks whether the server answers, until it does. While it does not, requests that hang are given up. */
export const checkServer = (): void => {
  if (isChecking || connection.value === 'no-network') return;
  isChecking = true;
  void check();
};

/** As `fetch`. A request that fails or waits long starts `checkServer`. */
export const watchedFetch: typeof fetch = async (address, init) => {
  const giveUp = new AbortController();
  const request = { startedAt: performance.now(), giveUp };
  const timer = setTimeout(checkServer, SLOW_MS);
  const caller = init?.signal ?? undefined;
  pending.add(request);
  try {
    const signal = caller === undefined ? giveUp.signal : AbortSignal.any([caller, giveUp.signal]);
    return await fetch(address, { ...init, signal });
  } catch (error) {
    if (caller?.aborted !== true) checkServer();
    throw error;
  } finally {
    clearTimeout(timer);
    pending.delete(request);
  }
};

addEventListener('offline', () => endChecks('no-network'));
addEventListener('online', () => endChecks('ok'));

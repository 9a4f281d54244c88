import table from 'virtual:calls';
import { clientOver, isProblem, NoAnswerError, type WireCalls } from '@teaching/client/browser';
import { removeStoredAnswers, storeAnswer, storedAnswer } from './offline-answers.ts';
import { isVerified, type Me, session, sessionEnded, setSession } from './session.ts';

const calls: WireCalls = Object.fromEntries(
  Object.entries(table).map(([id, [service, method, path]]) => [id, { id, service, http: { method, path } }]),
);

/** One refresh for all calls and windows of this browser: a refresh token may be good for one use. Answers a refusal. */
const refresh = (since: number): Promise<Response | undefined> =>
  navigator.locks.request('session', async () => {
    if (refreshedAt > since) return undefined;
    const response = await fetch('/auth/refresh', { method: 'POST' });
    if (response.ok) refreshedAt = performance.now();
    return response.ok ? undefined : response;
  });
let refreshedAt = -Infinity;

/** Sends a request with the session's cookie; when the session is over, once more with a refreshed one. */
const renewingFetch: typeof fetch = async (address, init) => {
  const since = performance.now();
  const response = await fetch(address, init);
  if (response.status !== 401) return response;
  const refusal = await refresh(since);
  // A provider that does not answer has not ended anything.
  if (refusal !== undefined && refusal.status !== 401) return refusal;
  if (refusal === undefined) {
    const again = await fetch(address, init);
    if (again.status !== 401) return again;
  }
  sessionEnded();
  return response;
};

/** The same; where the session has ended, only when the same person is logged in again: it may be another by now. */
export const sessionFetch: typeof fetch = async (address, init) => {
  if (session.value.state === 'ended') await openSession();
  if (session.value.state === 'ended') return Response.json({ code: 'unauthenticated' }, { status: 401 });
  return renewingFetch(address, init);
};

/** The public API, as the person who is logged in. */
export const api = clientOver(calls, { base_url: '', fetch: sessionFetch });

/** The same for who has a way of their own to try again. */
export const apiWithoutRetry = clientOver(calls, { base_url: '', fetch: sessionFetch, repeat: false });

/** Asks who is logged in, whoever it is: once, and for as long as it may pass. */
const whoever = clientOver(calls, { base_url: '', fetch: renewingFetch, repeat: false });
const patiently = clientOver(calls, { base_url: '', fetch: renewingFetch });

const AGAIN_MS = 5_000;
let asking: ReturnType<typeof setTimeout> | undefined;

/** Without network it goes on as who was here last; what waits is sent only when the system has said who it is. */
const askWho = async (): Promise<Me> => {
  try {
    return (await whoever.getMe({})).data;
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) throw error;
    const last = error instanceof NoAnswerError ? await storedAnswer<Me>('', 'me') : undefined;
    if (last === undefined) return (await patiently.getMe({})).data;
    if (session.value.state === 'asking') session.value = { state: 'in', me: last.data };
    throw error;
  }
};

const findOut = async (): Promise<void> => {
  clearTimeout(asking);
  try {
    const who = await askWho();
    void storeAnswer('', 'me', who);
    setSession(who);
  } catch (error) {
    const isOut = isProblem(error, 'unauthenticated');
    if ('me' in session.value) {
      if (!isOut) asking = setTimeout(() => void openSession(), AGAIN_MS);
      return;
    }
    if (isOut) void removeStoredAnswers();
    session.value = isOut ? { state: 'out' } : { state: 'unknown', error };
  }
};

let opening: Promise<void> | undefined;
/** Finds out who is logged in, once for all who want to know; where somebody was and nobody answers, again until it is known. */
export const openSession = (): Promise<void> => {
  opening ??= findOut().finally(() => {
    opening = undefined;
  });
  return opening;
};

// Meanwhile somebody else may log in here, so who it is is asked again before anything is sent.
addEventListener('offline', () => {
  isVerified.value = false;
});
addEventListener('online', () => {
  if (!isVerified.value && session.value.state !== 'out') void openSession();
});

import table from 'virtual:calls';
import { createCallClient, isProblem, NoAnswerError, type WireCalls } from '@teaching/client/browser';
import { onRecovery, watchedFetch } from './connection.ts';
import { removeStoredAnswers, storeAnswer, storedAnswer } from './offline-answers.ts';
import { isVerified, type Me, session, markSessionEnded, setSession } from './session.ts';

const calls: WireCalls = Object.fromEntries(
  Object.entries(table).map(([id, [service, method, path]]) => [id, { id, service, http: { method, path } }]),
);

/**
 * Refreshes the session once for all calls and windows of this browser: a refresh token may be valid for one use
 * only. Returns the response if the refresh is refused.
 */
const refresh = (since: number): Promise<Response | undefined> =>
  navigator.locks.request('session', async () => {
    if (refreshedAt > since) return undefined;
    const response = await watchedFetch('/auth/refresh', { method: 'POST' });
    if (response.ok) refreshedAt = performance.now();
    return response.ok ? undefined : response;
  });
let refreshedAt = -Infinity;

/** Sends a request with the session's cookie. After a 401 it refreshes the session and sends the request once more. */
const renewingFetch: typeof fetch = async (address, init) => {
  const since = performance.now();
  const response = await watchedFetch(address, init);
  if (response.status !== 401) return response;
  const refusal = await refresh(since);
  // An identity provider that does not answer has not ended the session.
  if (refusal !== undefined && refusal.status !== 401) return refusal;
  if (refusal === undefined) {
    const retried = await watchedFetch(address, init);
    if (retried.status !== 401) return retried;
  }
  markSessionEnded();
  return response;
};

/**
 * As `renewingFetch`. After the session has ended, it sends only if the same person has logged in again: it may be
 * another person.
 */
export const sessionFetch: typeof fetch = async (address, init) => {
  if (session.value.state === 'ended') await openSession();
  if (session.value.state === 'ended') return Response.json({ code: 'unauthenticated' }, { status: 401 });
  return renewingFetch(address, init);
};

/** The page continues within this time after the server answers again. */
const REPEAT = { longest_pause_ms: 2_000 };

/** Calls the public API as the person who is logged in. */
export const api = createCallClient(calls, { base_url: '', fetch: sessionFetch, repeat: REPEAT });

/** As `api`, for callers that retry by themselves. */
export const apiWithoutRetry = createCallClient(calls, { base_url: '', fetch: sessionFetch, repeat: false });

/**
 * Two clients that read the logged-in person: one without and one with retries. They do not use `sessionFetch`,
 * because it waits for their result.
 */
const identityClient = createCallClient(calls, { base_url: '', fetch: renewingFetch, repeat: false });
const retryingIdentityClient = createCallClient(calls, { base_url: '', fetch: renewingFetch, repeat: REPEAT });

const RETRY_MS = 4_000;
let retryTimer: ReturnType<typeof setTimeout> | undefined;

/**
 * Reads the logged-in person. Without network the page continues as the person who was here last; queued marks are
 * sent only after the system has confirmed the person.
 */
const requestMe = async (): Promise<Me> => {
  try {
    return (await identityClient.getMe({})).data;
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) throw error;
    const last = error instanceof NoAnswerError ? await storedAnswer<Me>('', 'me') : undefined;
    if (last === undefined) return (await retryingIdentityClient.getMe({})).data;
    if (session.value.state === 'asking') session.value = { state: 'in', me: last.data };
    throw error;
  }
};

const resolveSession = async (): Promise<void> => {
  clearTimeout(retryTimer);
  try {
    const person = await requestMe();
    void storeAnswer('', 'me', person);
    setSession(person);
  } catch (error) {
    const isOut = isProblem(error, 'unauthenticated');
    if (!isOut) retryTimer = setTimeout(() => void openSession(), RETRY_MS);
    if ('me' in session.value) return;
    if (isOut) void removeStoredAnswers();
    session.value = isOut ? { state: 'out' } : { state: 'unknown', error };
  }
};

let opening: Promise<void> | undefined;
/**
 * Reads the logged-in person, once for all concurrent callers. If the system does not answer, it retries every four
 * seconds.
 */
export const openSession = (): Promise<void> => {
  opening ??= resolveSession().finally(() => {
    opening = undefined;
  });
  return opening;
};

// While offline, another person may log in here, so the person is requested again before anything is sent.
addEventListener('offline', () => {
  isVerified.value = false;
});
const verifyPerson = (): void => {
  if (!isVerified.value && session.value.state !== 'out') void openSession();
};
addEventListener('online', verifyPerson);
onRecovery(verifyPerson);

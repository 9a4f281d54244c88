import { computed, signal } from '@preact/signals';
import { ApiError, NoAnswerError } from '@teaching/client/browser';
import type { meCalls, Output, Role } from '@teaching/contracts';
import { removeStoredAnswers } from './offline-answers.ts';
import { keepValuesOf, removePersonValues } from './person-storage.ts';

export type Me = Output<typeof meCalls.getMe>;

export type Session =
  | { state: 'asking' }
  /** No person is logged in. */
  | { state: 'out' }
  | { state: 'in'; me: Me }
  /** The session has ended. The page keeps its content and offers a new log-in. */
  | { state: 'ended'; me: Me }
  /** The system did not answer. */
  | { state: 'unknown'; error: unknown };

export const session = signal<Session>({ state: 'asking' });

export const me = computed<Me | undefined>(() => ('me' in session.value ? session.value.me : undefined));
export const hasRole = (role: Role): boolean => me.value?.roles.includes(role) === true;

/**
 * Whether the system has confirmed the person since the page was opened. Without network it is the last person of
 * this browser.
 */
export const isVerified = signal(false);

/** Identifies one person in one organization. */
export const personOf = ({ org_id, user_id }: Pick<Me, 'org_id' | 'user_id'>): string => `${org_id} ${user_id}`;

/** Records that the session of a call has ended. */
export const markSessionEnded = (): void => {
  const { value } = session;
  isVerified.value = false;
  session.value = value.state === 'in' || value.state === 'ended' ? { state: 'ended', me: value.me } : { state: 'out' };
};

/** The address of the log-in, which returns to the current page. */
export const loginAddress = (): string => {
  const address = `${location.pathname}${location.search}`;
  return `/auth/login?return_to=${encodeURIComponent(address.startsWith('/login') ? '/' : address)}`;
};

const SESSION_ENDED = 'session-ended-elsewhere';
const otherWindows = 'BroadcastChannel' in globalThis ? new BroadcastChannel('session') : undefined;
otherWindows?.addEventListener('message', ({ data }) => {
  const { value } = session;
  const current = 'me' in value ? personOf(value.me) : undefined;
  if (data === SESSION_ENDED) removePersonValues();
  if (data === SESSION_ENDED || (current !== undefined && data !== current)) markSessionEnded();
  else if (value.state === 'ended') continueAs(value.me);
});

/** Continues as a person whom the system has confirmed, to this window or to another one. */
const continueAs = (person: Me): void => {
  keepValuesOf(personOf(person));
  session.value = { state: 'in', me: person };
  isVerified.value = true;
};

/**
 * Sets the person whom the system has confirmed. A window that shows another person reloads; other windows end their
 * session.
 */
export const setSession = (person: Me): void => {
  if (me.value !== undefined && personOf(me.value) !== personOf(person)) return location.reload();
  continueAs(person);
  otherWindows?.postMessage(personOf(person));
};

/** Ends the session in all windows and opens the provider's log-out page. */
export const logOut = async (): Promise<void> => {
  const response = await fetch('/auth/logout', { method: 'POST' }).catch((error: unknown) => {
    throw new NoAnswerError(error);
  });
  if (!response.ok) throw new ApiError(response, await response.text());
  otherWindows?.postMessage(SESSION_ENDED);
  removePersonValues();
  await removeStoredAnswers();
  const answer: unknown = await response.json();
  const goTo = typeof answer === 'object' && answer !== null && 'go_to' in answer ? answer.go_to : '/';
  location.assign(typeof goTo === 'string' ? goTo : '/');
};

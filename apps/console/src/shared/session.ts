import { computed, signal } from '@preact/signals';
import { ApiError, NoAnswerError } from '@teaching/client/browser';
import type { meCalls, Output, Role } from '@teaching/contracts';
import { removeStoredAnswers } from './offline-answers.ts';

export type Me = Output<typeof meCalls.getMe>;

export type Session =
  | { state: 'asking' }
  /** Nobody is logged in. */
  | { state: 'out' }
  | { state: 'in'; me: Me }
  /** Somebody was, until just now: what they see stays, and they are asked to log in again. */
  | { state: 'ended'; me: Me }
  /** Nobody answered who is. */
  | { state: 'unknown'; error: unknown };

export const session = signal<Session>({ state: 'asking' });

export const me = computed<Me | undefined>(() => ('me' in session.value ? session.value.me : undefined));
export const hasRole = (role: Role): boolean => me.value?.roles.includes(role) === true;

/** Whether the system itself said so, since the page was opened; else it is who was here last, without network. */
export const isVerified = signal(false);

/** One person in one organization. */
export const personOf = ({ org_id, user_id }: Pick<Me, 'org_id' | 'user_id'>): string => `${org_id} ${user_id}`;

/** The session that a call went with is over. */
export const sessionEnded = (): void => {
  const { value } = session;
  isVerified.value = false;
  session.value = value.state === 'in' || value.state === 'ended' ? { state: 'ended', me: value.me } : { state: 'out' };
};

/** Where to log in, and come back to where one is. */
export const loginAddress = (): string => {
  const here = `${location.pathname}${location.search}`;
  return `/auth/login?return_to=${encodeURIComponent(here.startsWith('/login') ? '/' : here)}`;
};

const END = 'session-ended-elsewhere';
const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel('session') : undefined;
others?.addEventListener('message', ({ data }) => {
  const { value } = session;
  const here = 'me' in value ? personOf(value.me) : undefined;
  if (data === END || (here !== undefined && data !== here)) sessionEnded();
  else if (value.state === 'ended') goOn(value.me);
});

/** The system has said who is logged in, to this window or another one. */
const goOn = (who: Me): void => {
  session.value = { state: 'in', me: who };
  isVerified.value = true;
};

/** The system says who is logged in; what shows somebody else, here or in another window of this browser, is over. */
export const setSession = (who: Me): void => {
  if (me.value !== undefined && personOf(me.value) !== personOf(who)) return location.reload();
  goOn(who);
  others?.postMessage(personOf(who));
};

/** Ends the session, here and in the other windows, and goes where the provider ends its own. */
export const logOut = async (): Promise<void> => {
  const response = await fetch('/auth/logout', { method: 'POST' }).catch((error: unknown) => {
    throw new NoAnswerError(error);
  });
  if (!response.ok) throw new ApiError(response, await response.text());
  others?.postMessage(END);
  await removeStoredAnswers();
  const answer: unknown = await response.json();
  const goTo = typeof answer === 'object' && answer !== null && 'go_to' in answer ? answer.go_to : '/';
  location.assign(typeof goTo === 'string' ? goTo : '/');
};

import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { personValue, storePersonValue } from './person-storage.ts';
import { me, personOf } from './session.ts';

const NAME = 'open';
const open = new Map<string, unknown>();
let reopened: Map<string, unknown> | undefined;

const addressOfPage = (): string => location.pathname + location.search;

addEventListener('pagehide', () => {
  if (me.value === undefined) return;
  const value = open.size === 0 ? undefined : { address: addressOfPage(), open: [...open] };
  storePersonValue(personOf(me.value), NAME, value);
});

const isPair = (value: unknown): value is [string, unknown] => Array.isArray(value) && typeof value[0] === 'string';

/** The state that was open when this page was left. */
const readReopened = (): Map<string, unknown> => {
  const stored = me.value === undefined ? undefined : personValue(personOf(me.value), NAME);
  if (typeof stored !== 'object' || stored === null || !('address' in stored) || !('open' in stored)) return new Map();
  if (stored.address !== addressOfPage() || !Array.isArray(stored.open)) return new Map();
  return new Map(stored.open.filter(isPair));
};

/**
 * Restores what is open after the page is loaded again, for example by a log-in after the session has ended. `state`
 * differs from `closed` while something is open; its value is JSON. What a person closes or leaves stays closed.
 */
export const useReopened = <T>(name: string, state: Signal<T>, closed: T): void => {
  useLayoutEffect(() => {
    reopened ??= readReopened();
    if (reopened.has(name)) state.value = reopened.get(name) as T; // a name identifies one type of state
    reopened.delete(name);
    const stop = state.subscribe((value) => {
      if (value === closed) open.delete(name);
      else open.set(name, value);
    });
    return () => {
      stop();
      open.delete(name);
    };
  }, [name]);
};

/** As `useState`, for what is open; see `useReopened`. */
export const useOpenState = <T>(name: string, closed: T): [T, (value: T) => void] => {
  const state = useSignal(closed);
  useReopened(name, state, closed);
  return [
    state.value,
    (value) => {
      state.value = value;
    },
  ];
};

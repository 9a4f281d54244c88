import type { ChangeKind } from '@teaching/contracts';
import { useEffect, useMemo } from 'preact/hooks';
import { type Concern, concerns, type Hint } from './concern.rules.ts';
import { type QueryFunction, type QueryState, QueryEntry } from './query-entry.ts';
import { session } from './session.ts';

export type { QueryState } from './query-entry.ts';

/** Questions whose answers are kept; those that nobody looks at go first. */
const MOST = 200;

const entries = new Map<string, QueryEntry<unknown>>();

const entryOf = <T>(key: string, ask: QueryFunction<T>, concern: Concern): QueryEntry<T> => {
  const known = entries.get(key) as QueryEntry<T> | undefined; // a key stands for one kind of answer
  const entry = known ?? new QueryEntry(ask, concern);
  entry.ask = ask;
  entries.delete(key);
  entries.set(key, entry as QueryEntry<unknown>);
  if (entries.size > MOST)
    for (const [oldest, { watchers }] of entries)
      if (watchers === 0 && oldest !== key) {
        entries.delete(oldest);
        break;
      }
  return entry;
};

/**
 * Asks for what `key` stands for, once however many components want it, and again whenever a change concerns it. Without a
 * key nothing is asked.
 */
export const useQuery = <T>(key: string | null, ask: QueryFunction<T>, concern: Concern): QueryState<T> => {
  const entry = useMemo(() => (key === null ? new QueryEntry(ask, concern) : entryOf(key, ask, concern)), [key]);
  useEffect(() => {
    if (key === null) return undefined;
    entry.watchers += 1;
    entry.look();
    return () => {
      entry.watchers -= 1;
    };
  }, [entry]);
  return entry;
};

/** A change was told: what it concerns is asked again. */
export const applyHint = (hint: Hint): void => {
  for (const entry of entries.values()) if (concerns(entry.concern, hint)) entry.outdated();
};

/** What this page itself changed, by kind, so that nobody waits for being told. */
export const changed = (...kinds: readonly ChangeKind[]): void => {
  for (const entry of entries.values()) if (entry.concern.kinds.some((kind) => kinds.includes(kind))) entry.outdated();
};

/** Nobody knows what changed meanwhile. */
export const invalidateAll = (): void => {
  for (const entry of entries.values()) entry.outdated();
};

let wasEnded = false;
session.subscribe(({ state }) => {
  // Nothing of one person stays for the next.
  if (state === 'out') entries.clear();
  // While a session is over, nobody tells this window what changes.
  if (state === 'in' && wasEnded) invalidateAll();
  wasEnded = state === 'ended';
});

import type { ChangeKind } from '@teaching/contracts';
import { useEffect, useMemo } from 'preact/hooks';
import { onRecovery } from './connection.ts';
import { type Concern, isAffectedBy, type Hint } from './concern.rules.ts';
import { type QueryFunction, type QueryState, QueryEntry } from './query-entry.ts';
import { session } from './session.ts';

export type { QueryState } from './query-entry.ts';

/** The most entries that are kept. Entries without watchers are removed first, the oldest first. */
const MAX_ENTRIES = 200;

const entries = new Map<string, QueryEntry<unknown>>();

const entryOf = <T>(key: string, request: QueryFunction<T>, concern: Concern): QueryEntry<T> => {
  const known = entries.get(key) as QueryEntry<T> | undefined; // a key identifies one type of answer
  const entry = known ?? new QueryEntry(request, concern);
  entry.request = request;
  entries.delete(key);
  entries.set(key, entry as QueryEntry<unknown>);
  if (entries.size > MAX_ENTRIES)
    for (const [oldest, { watchers }] of entries)
      if (watchers === 0 && oldest !== key) {
        entries.delete(oldest);
        break;
      }
  return entry;
};

/**
 * Requests the data of `key`, once for all components that use it, and again after each change that concerns it. A
 * null key requests nothing.
 */
export const useQuery = <T>(key: string | null, request: QueryFunction<T>, concern: Concern): QueryState<T> => {
  const entry = useMemo(
    () => (key === null ? new QueryEntry(request, concern) : entryOf(key, request, concern)),
    [key],
  );
  useEffect(() => {
    if (key === null) return undefined;
    entry.watchers += 1;
    entry.refetchIfStale();
    return () => {
      entry.watchers -= 1;
    };
  }, [entry]);
  return entry;
};

/** Invalidates the entries that a change concerns. */
export const applyHint = (hint: Hint): void => {
  for (const entry of entries.values()) if (isAffectedBy(entry.concern, hint)) entry.invalidate();
};

/** Invalidates the entries of these kinds after a write of this page, without waiting for the hint. */
export const invalidateKinds = (...kinds: readonly ChangeKind[]): void => {
  for (const entry of entries.values())
    if (entry.concern.kinds.some((kind) => kinds.includes(kind))) entry.invalidate();
};

/** Invalidates all entries, because hints may have been missed. */
export const invalidateAll = (): void => {
  for (const entry of entries.values()) entry.invalidate();
};

onRecovery(() => {
  for (const entry of entries.values()) entry.restart();
});

let wasEnded = false;
session.subscribe(({ state }) => {
  // Data of one person is never shown to the next.
  if (state === 'out') entries.clear();
  // While the session was ended, this window received no hints.
  if (state === 'in' && wasEnded) invalidateAll();
  wasEnded = state === 'ended';
});

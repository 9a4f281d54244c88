import { type ReadonlySignal, signal } from '@preact/signals';
import { NoAnswerError } from '@teaching/client/browser';
import { useEffect, useMemo } from 'preact/hooks';
import { type QueryState, useQuery } from './query.ts';
import type { Concern } from './concern.rules.ts';
import { storeAnswer, storedAnswer } from './offline-answers.ts';
import { me, personOf } from './session.ts';

export interface OfflineQuery<T> extends QueryState<T> {
  /** When the shown data was received, in epoch milliseconds, if the network is unavailable; else null. */
  readonly storedAt: ReadonlySignal<number | null>;
}

/** As `useQuery`. After a reload without network it shows the last stored answer. */
export const useOfflineQuery = <T>(
  key: string,
  request: (signal: AbortSignal) => Promise<T>,
  concern: Concern,
): OfflineQuery<T> => {
  const current = me.value;
  const person = current === undefined ? '' : personOf(current);
  const storedAt = useMemo(() => signal<number | null>(null), [key]);
  const query: QueryState<T> = useQuery(
    key,
    async (abort) => {
      try {
        const data = await request(abort);
        void storeAnswer(person, key, data);
        storedAt.value = null;
        return data;
      } catch (error) {
        const last = error instanceof NoAnswerError ? await storedAnswer<T>(person, key) : undefined;
        if (last === undefined) throw error;
        storedAt.value = last.at;
        query.repeatSoon(error);
        return query.data.peek() ?? last.data;
      }
    },
    concern,
  );
  // A stored answer is shown while the request runs, so that a slow network is not waited for.
  useEffect(() => {
    void storedAnswer<T>(person, key).then((last) => {
      if (last === undefined || query.data.peek() !== undefined) return;
      storedAt.value = last.at;
      query.putPlaceholder(last.data);
    });
  }, [key]);
  return { ...query, storedAt };
};

import { type ReadonlySignal, signal } from '@preact/signals';
import { NoAnswerError } from '@teaching/client/browser';
import { useEffect, useMemo } from 'preact/hooks';
import { type QueryState, useQuery } from './query.ts';
import type { Concern } from './concern.rules.ts';
import { storeAnswer, storedAnswer } from './offline-answers.ts';
import { me, personOf } from './session.ts';

export interface OfflineQuery<T> extends QueryState<T> {
  /** Since when what is shown is known, in epoch milliseconds, where there is no network to ask; else null. */
  readonly keptAt: ReadonlySignal<number | null>;
}

/** As `useQuery`, and what came last is shown again after a reload without network. */
export const useOfflineQuery = <T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  concern: Concern,
): OfflineQuery<T> => {
  const who = me.value;
  const person = who === undefined ? '' : personOf(who);
  const keptAt = useMemo(() => signal<number | null>(null), [key]);
  const asked: QueryState<T> = useQuery(
    key,
    async (abort) => {
      try {
        const data = await ask(abort);
        void storeAnswer(person, key, data);
        keptAt.value = null;
        return data;
      } catch (error) {
        const last = error instanceof NoAnswerError ? await storedAnswer<T>(person, key) : undefined;
        if (last === undefined) throw error;
        keptAt.value = last.at;
        return asked.data.peek() ?? last.data;
      }
    },
    concern,
  );
  // What is known is shown while it is asked for, so that a slow network is not waited for.
  useEffect(() => {
    void storedAnswer<T>(person, key).then((last) => {
      if (last === undefined || asked.data.peek() !== undefined) return;
      keptAt.value = last.at;
      asked.putMeanwhile(last.data);
    });
  }, [key]);
  return { ...asked, keptAt };
};

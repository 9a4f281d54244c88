import { type ReadonlySignal, signal } from '@preact/signals';
import { NoAnswerError } from '@teaching/client/browser';
import { useEffect, useMemo } from 'preact/hooks';
import { type Asked, useAsked } from './ask.ts';
import type { Concern } from './ask.rules.ts';
import { keep, kept } from './kept-answers.ts';
import { me, personOf } from './session.ts';

export interface KeptAsked<T> extends Asked<T> {
  /** Since when what is shown is known, in epoch milliseconds, where there is no network to ask; else null. */
  readonly keptAt: ReadonlySignal<number | null>;
}

/** As `useAsked`, and what came last is shown again after a reload without network. */
export const useKept = <T>(key: string, ask: (signal: AbortSignal) => Promise<T>, concern: Concern): KeptAsked<T> => {
  const who = me.value;
  const person = who === undefined ? '' : personOf(who);
  const keptAt = useMemo(() => signal<number | null>(null), [key]);
  const asked: Asked<T> = useAsked(
    key,
    async (abort) => {
      try {
        const data = await ask(abort);
        void keep(person, key, data);
        keptAt.value = null;
        return data;
      } catch (error) {
        const last = error instanceof NoAnswerError ? await kept<T>(person, key) : undefined;
        if (last === undefined) throw error;
        keptAt.value = last.at;
        return asked.data.peek() ?? last.data;
      }
    },
    concern,
  );
  // What is known is shown while it is asked for, so that a slow network is not waited for.
  useEffect(() => {
    void kept<T>(person, key).then((last) => {
      if (last === undefined || asked.data.peek() !== undefined) return;
      keptAt.value = last.at;
      asked.putMeanwhile(last.data);
    });
  }, [key]);
  return { ...asked, keptAt };
};

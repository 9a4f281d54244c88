import { type CallOptions, isProblem, NoAnswerError } from '@teaching/client/browser';
import { useRef } from 'preact/hooks';

type Key = Pick<CallOptions, 'idempotency_key'>;

const isUnknown = (error: unknown): boolean => error instanceof NoAnswerError || isProblem(error, 'outcome_unknown');

/**
 * Sends what must not be done twice. While nobody knows whether it was done, it keeps its key, whatever the form says by then: pressed once
 * more it is answered as it was, or refused where it was done with other words.
 */
export const useOnce = () => {
  const key = useRef<string | undefined>(undefined);
  return async <T>(send: (key: Key) => Promise<T>): Promise<T> => {
    key.current ??= crypto.randomUUID();
    try {
      const answer = await send({ idempotency_key: key.current });
      key.current = undefined;
      return answer;
    } catch (error) {
      if (!isUnknown(error)) key.current = undefined;
      throw error;
    }
  };
};

import { type CallOptions, isProblem, NoAnswerError } from '@teaching/client/browser';
import { useRef } from 'preact/hooks';

type Key = Pick<CallOptions, 'idempotency_key'>;

const isUnknown = (error: unknown): boolean => error instanceof NoAnswerError || isProblem(error, 'outcome_unknown');

/**
 * Returns a function that sends a write at most once. While the result is unknown it keeps its idempotency key, even
 * if the form changes. A second attempt then gets the first answer, or is refused if the content differs.
 */
export const useIdempotentWrite = () => {
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

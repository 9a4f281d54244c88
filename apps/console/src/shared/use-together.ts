import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryState } from './query.ts';

/** Nobody waits longer for the slowest. */
const PATIENCE_MS = 1_200;

/**
 * Whether what stands below each other may be shown: when each has an answer or a failure, so that none moves another by coming later,
 * and after a second in any case. Once shown it stays.
 */
export const useTogether = (all: readonly Pick<QueryState<unknown>, 'data' | 'error'>[]): boolean => {
  const [isPatient, setPatient] = useState(true);
  const isShown = useRef(false);
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  isShown.current ||=
    !isPatient || all.every(({ data, error }) => data.value !== undefined || error.value !== undefined);
  return isShown.current;
};

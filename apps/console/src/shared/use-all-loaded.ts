import { useEffect, useRef, useState } from 'preact/hooks';
import type { QueryState } from './query.ts';

/** The longest wait for the slowest request. */
const MAX_WAIT_MS = 1_200;

/**
 * Whether several blocks, one below another, may be shown. They are shown when each has data or an error, so that
 * none moves another by arriving later; after 1.2 seconds in any case. Once shown they stay shown.
 */
export const useAllLoaded = (all: readonly Pick<QueryState<unknown>, 'data' | 'error'>[]): boolean => {
  const [isWaiting, setWaiting] = useState(true);
  const isShown = useRef(false);
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  isShown.current ||=
    !isWaiting || all.every(({ data, error }) => data.value !== undefined || error.value !== undefined);
  return isShown.current;
};

import {
  AnswerCache,
  type CachedAnswer,
  type ComputedAnswer,
  type StateReader,
  type Session,
  type SerializedAnswer,
} from '@teaching/kit';
import { READ_LAST_CHANGE } from '../figures/org-change.ts';
import type { RequestedRange } from './stats-request.ts';

const cache = new AnswerCache();

/** The id of the organization's last change. Every transaction that writes rows of statistics writes a new id. */
const readLastChange: StateReader = async (session) => (await session.peek(READ_LAST_CHANGE, session.org_id))[0]?.id;

/**
 * The figures of a range, cached until the organization's last change is another one. `key` identifies the call, the
 * person or class, and the hours that the caller can see. `compute` sends all its statements at once, so that they read
 * one snapshot.
 */
export const cachedFigures = <A extends object>(
  session: Session,
  key: CachedAnswer<A>['key'],
  { range, included, acquireHeavySlot }: RequestedRange,
  compute: () => Promise<ComputedAnswer<A>>,
): Promise<A | SerializedAnswer<A>> =>
  cache.answer(session, {
    key: [...key, range.request, included],
    state: readLastChange,
    compute: async () => {
      await acquireHeavySlot();
      return compute();
    },
  });

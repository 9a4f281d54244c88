import {
  AnswerCache,
  type CachedAnswer,
  type ComputedAnswer,
  type StateReader,
  type Session,
  type SerializedAnswer,
} from '@teaching/kit';
import { LAST_CHANGE } from '../figures/org-change.ts';
import type { RequestedRange } from './requested-scope.ts';

const cache = new AnswerCache();

/** The last change of the organization: every transaction that writes rows of statistics writes another one. */
const readLastChange: StateReader = async (session) => (await session.peek(LAST_CHANGE, session.org_id))[0]?.id;

/**
 * Cached figures of a range. `key` names the call, the person or class they are about, and which hours the caller sees.
 * `compute` sends all its statements at once, so that they read one moment.
 */
export const cachedFigures = <A extends object>(
  session: Session,
  key: CachedAnswer<A>['key'],
  { range, included, takeTurn }: RequestedRange,
  compute: () => Promise<ComputedAnswer<A>>,
): Promise<A | SerializedAnswer<A>> =>
  cache.answer(session, {
    key: [...key, range.asked, included],
    state: readLastChange,
    compute: async () => {
      await takeTurn();
      return compute();
    },
  });

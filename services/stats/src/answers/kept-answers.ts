import { type Session, WrittenAnswer } from '@teaching/kit';
import { LRUCache } from 'lru-cache';
import { LAST_CHANGE } from '../figures/org-change.ts';
import type { RangeAsked } from './asked.ts';

/** An answer as it was made, and from which rows. */
interface Kept {
  /** The last change of the organization that it contains. */
  change: string;
  /** Epoch milliseconds between which it says the same, the second excluded. */
  from: number;
  until: number;
  written: WrittenAnswer<object>;
}

/** What a figure answers, and until when time alone leaves it as it is: epoch milliseconds. */
export interface Made<A> {
  answer: A;
  until: number;
}

/** Of all of an instance together; one of a month has about 16,000. */
const MOST_CHARACTERS = 16_000_000;
const kept = new LRUCache<string, Kept>({
  maxSize: MOST_CHARACTERS,
  sizeCalculation: ({ written }, key) => written.text.length + key.length,
});

/**
 * Answers what was answered before, if nothing of the organization has changed since and it is not too late for it; else makes
 * it and keeps it. The change is read in the same moment as the rows, so an answer and its change belong together; and as all
 * that changes rows changes it in the same transaction, an answer whose change is still the last is what would be made now.
 *
 * `what`: the call and whom it is about, after it was decided that the caller may ask.
 */
export const keptAnswer = async <A extends object>(
  session: Session,
  what: readonly [call: string, of: string],
  { range, included, takeTurn }: RangeAsked,
  make: () => Promise<Made<A>>,
): Promise<WrittenAnswer<A>> => {
  const { org_id } = session;
  const now = session.now.getTime();
  const key = JSON.stringify([org_id, ...what, range.asked, included]);
  const known = kept.get(key);
  if (known !== undefined && known.from <= now && now < known.until) {
    const [last] = await session.peek(LAST_CHANGE, org_id);
    if (last?.id === known.change) return known.written as WrittenAnswer<A>;
  }
  await takeTurn();
  const [[last], { answer, until }] = await Promise.all([session.query(LAST_CHANGE, org_id), make()]);
  const written = new WrittenAnswer(answer);
  if (last !== undefined) kept.set(key, { change: last.id, from: now, until, written });
  return written;
};

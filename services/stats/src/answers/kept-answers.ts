import { KeptAnswers, type Session, WrittenAnswer } from '@teaching/kit';
import { LAST_CHANGE } from '../figures/org-change.ts';
import type { RequestedRange } from './requested-person.ts';

/** What a figure answers, and until when time alone leaves it as it is: epoch milliseconds. */
export interface Made<A> {
  answer: A;
  until: number;
}

const kept = new KeptAnswers();

/**
 * Answers what was answered before, if nothing of the organization has changed since and it is not too late for it; else makes
 * it and keeps it. The change is read in the same moment as the rows, so an answer and its change belong together; and as all
 * that changes rows changes it in the same transaction, an answer whose change is still the last is what would be made now.
 *
 * `what`: the call, whom it is about, and which hours the caller sees, after it was decided that the caller may ask. Answers that
 * differ between callers differ in it.
 */
export const keptAnswer = async <A extends object>(
  session: Session,
  what: readonly [call: string, of: string, hours?: string],
  { range, included, takeTurn }: RequestedRange,
  make: () => Promise<Made<A>>,
): Promise<WrittenAnswer<A>> => {
  const { org_id, now } = session;
  const key = JSON.stringify([org_id, ...what, range.asked, included]);
  if (kept.has(key, now)) {
    const [last] = await session.peek(LAST_CHANGE, org_id);
    const found = last && kept.find(key, last.id);
    if (found !== undefined) return found as WrittenAnswer<A>;
  }
  await takeTurn();
  const [[last], { answer, until }] = await Promise.all([session.query(LAST_CHANGE, org_id), make()]);
  return last === undefined
    ? new WrittenAnswer(answer)
    : kept.keep(key, last.id, answer, { from: now.getTime(), until });
};

import { p } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { WrittenAnswer } from '../rpc/handler.ts';
import { KeptAnswers } from '../rpc/kept-answers.ts';
import type { Session } from '../rpc/session.ts';

/**
 * Answers that are made of what the domain events of this service tell, of the caller's organization only: kept until the
 * organization's log goes on (ADR 36). For services that list the migration `logState`. `of` says all that the answer depends on beside that.
 */
export const keptByLog = <A extends object>() => {
  const answers = new KeptAnswers<A>();
  const STATE = statement('select state from log_state()', { state: p.text().nullable() });
  const readState = async (session: Session): Promise<string | null> => (await session.one(STATE))?.state ?? null;
  return async (session: Session, of: readonly unknown[], make: () => Promise<A>): Promise<A | WrittenAnswer<A>> => {
    const key = JSON.stringify([session.org_id, session.cursor_secrets, ...of]);
    if (!answers.isAskedAgain(key)) return make();
    const state = await readState(session);
    if (state === null) return make();
    const found = answers.find(key, state);
    if (found !== undefined) return found;
    const made = await make();
    // The same before and after: nothing was committed between, so it is of this state and of no other.
    return (await readState(session)) === state ? answers.keep(key, state, made) : made;
  };
};

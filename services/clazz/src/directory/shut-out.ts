import { type Session, statement } from '@teaching/kit';

const SHUT = statement(
  `insert into shut_out (org_id, user_id, inactive, changed_at) values ($1, $2, true, $3)
   on conflict (org_id, user_id) do update set
     inactive = true, changed = pg_current_xact_id(), changed_at = excluded.changed_at`,
);
const LET_IN = statement(
  `update shut_out set inactive = false, changed = pg_current_xact_id(), changed_at = $3
   where org_id = $1 and user_id = any($2::text[]) and inactive`,
);

/**
 * No token of theirs is good any more. It stays so when the directory forgets them: whoever is erased after they left does not
 * come back by that.
 */
export const shutOut = (session: Session, user_id: string): void =>
  session.run(SHUT, session.org_id, user_id, session.now);

/** The directory has them as active: activated, or added anew. */
export const letIn = (session: Session, ...user_ids: readonly string[]): void =>
  session.run(LET_IN, session.org_id, user_ids, session.now);

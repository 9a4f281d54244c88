import { type Session, bigint, statement } from '@teaching/kit';
import { endFeeds } from './end-feeds.ts';
import { FORGET_REFUSALS } from '../refusal/list-refusals.ts';
import { MEMBER } from '../record/member.table.ts';

/** What told of the name before. */
const STRIKE = statement('select strike_member($1, $2) as struck', { struck: bigint().nullable() });

/** Takes a person from the directory, with links to family and what was refused, and the name from what was told; answers from how many events. */
export const forgetMember = async (session: Session, user_id: string): Promise<number> => {
  session.remove(MEMBER, user_id);
  endFeeds(session, user_id);
  session.run(FORGET_REFUSALS, session.org_id, user_id);
  return (await session.one(STRIKE, session.org_id, user_id))?.struck ?? 0;
};

import { Member, picking } from '@teaching/contracts';
import { asKnown, type Session } from '@teaching/kit';
import { MEMBER } from '../record/member.table.ts';

const shown = picking(Member);

/**
 * Holds a person of the directory until the transaction ends; 404, or 412 where `If-Match` says otherwise. Whoever names
 * them where policy demands it waits, or was before.
 */
export const lockMember = async (session: Session, user_id: string): Promise<Member> =>
  shown(asKnown(session, await session.lock(MEMBER, user_id), 'Member'));

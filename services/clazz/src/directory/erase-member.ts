import { clazzEvents, courseMemberCalls, memberCalls } from '@teaching/contracts';
import { always, p, prepared, statement } from '@teaching/kit';
import { eraseTexts } from './erase-texts.ts';
import { forgetMember } from './forget-member.ts';

/** Whether the directory has them. Whoever names them at the same time is waited for, or waits: also if it did not. */
const HOLD = statement(
  `insert into member (org_id, user_id, role, roles, display_name, created_at, updated_at)
   values ($1, $2, 'STUDENT', '{STUDENT}', '', $3, $3)
   on conflict (org_id, user_id) do update set updated_at = excluded.updated_at
   returning (old.user_id is not null) as known`,
  { known: always(p.boolean()) },
);

/**
 * Erases a person everywhere. The other service goes first, in a transaction of its own: what fails after it is done by
 * asking again.
 */
export const eraseMember = prepared(memberCalls.eraseMember, {
  prepare: ({ path: { user_id } }, session) => session.neighbours.call(courseMemberCalls.erase, { user_id }),
  run: async ({ path: { user_id }, body: { reason } }, session, elsewhere) => {
    const { org_id, now } = session;
    const held = await session.one(HOLD, org_id, user_id, now);
    const texts = elsewhere.texts + (await eraseTexts(session, user_id, reason));
    const struck = await forgetMember(session, user_id);
    const name = held?.known === true || struck > 0;
    if (name || texts > 0) {
      session.emit(clazzEvents.memberErased, org_id, { user_id, erased_at: now.toISOString() });
    }
    return { user_id, name, texts };
  },
});

import { clazzEvents, memberCalls } from '@teaching/contracts';
import { prepared, requireUnused } from '@teaching/kit';
import { auditMembers } from './audit-members.ts';
import { forgetMember } from './forget-member.ts';
import { lockMember } from './lock-member.ts';
import { usesElsewhere, usesHere } from './uses-of-member.ts';

/** Takes somebody from the directory whom nothing refers to; whoever keeps the name removes it. */
export const deleteMember = prepared(memberCalls.deleteMember, {
  prepare: ({ path: { user_id } }, session) => usesElsewhere(session, user_id),
  run: async ({ path: { user_id } }, session, elsewhere) => {
    const before = await lockMember(session, user_id);
    requireUnused([...(await usesHere(session, user_id)), ...elsewhere]);
    await forgetMember(session, user_id);
    session.emit(clazzEvents.memberErased, session.org_id, { user_id, erased_at: session.now.toISOString() });
    auditMembers(session, [{ before, after: null }], null);
    return null;
  },
});

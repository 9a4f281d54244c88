import { clazzEvents, type Member } from '@teaching/contracts';
import type { Session } from '@teaching/kit';

/** Emits the event by which other services keep copies of names. */
export const emitMemberEvent = (session: Session, members: readonly Member[]): void => {
  if (members.length === 0) return;
  session.emit(clazzEvents.memberChanged, session.org_id, {
    members: members.map(({ user_id, role, roles, display_name, status }) => ({
      user_id,
      role,
      roles,
      display_name,
      status,
    })),
  });
};

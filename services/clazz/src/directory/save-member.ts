import type { Member } from '@teaching/contracts';
import { saveChanged, type Session } from '@teaching/kit';
import { MEMBER } from '../record/member.table.ts';
import { auditMembers } from './audit-members.ts';
import { letIn, shutOut } from './shut-out.ts';
import { emitMemberEvent } from './tell-members.ts';

/** Saves a locked person as they are to be and emits the event; an unchanged person is not stored. */
export const saveMember = (session: Session, before: Member, wanted: Member, reason: string | null = null) =>
  saveChanged(session, before, wanted, (after) => {
    session.update(MEMBER, { org_id: session.org_id, ...after });
    if (after.status !== before.status) (after.status === 'inactive' ? shutOut : letIn)(session, after.user_id);
    emitMemberEvent(session, [after]);
    auditMembers(session, [{ before, after }], reason);
    return undefined;
  });

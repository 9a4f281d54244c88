import type { Member } from '@teaching/contracts';
import { saveChanged, type Session } from '@teaching/kit';
import { MEMBER } from '../record/member.table.ts';
import { auditMembers } from './audit-members.ts';
import { letIn, shutOut } from './shut-out.ts';
import { tellMembers } from './tell-members.ts';

/** Saves a locked person as they are to be and tells of it; what is as it was stays as it is. */
export const saveMember = (session: Session, before: Member, wanted: Member, reason: string | null = null) =>
  saveChanged(session, before, wanted, (after) => {
    session.update(MEMBER, { org_id: session.org_id, ...after });
    if (after.status !== before.status) (after.status === 'inactive' ? shutOut : letIn)(session, after.user_id);
    tellMembers(session, [after]);
    auditMembers(session, [{ before, after }], reason);
    return undefined;
  });

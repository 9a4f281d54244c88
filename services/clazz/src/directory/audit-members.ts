import type { Member } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { auditOfOrg, changesOf } from '../audit/audit.ts';

/** A person before and after; null where the directory does not have them. */
export interface MemberChange {
  before: Member | null;
  after: Member | null;
}

/** What the trail keeps: names and the like could not be erased there, so it tells only that they changed (`version`). */
const kept = (it: Member | null) => it && { role: it.role, roles: it.roles, status: it.status, version: it.version };
const actionOf = ({ before, after }: MemberChange): 'create' | 'update' | 'delete' => {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
};

/** Puts what became of people on the trail of the org. */
export const auditMembers = (session: Session, changes: readonly MemberChange[], reason: string | null): void =>
  auditOfOrg(
    session,
    changes.map(({ before, after }) => {
      const entity_id = before?.user_id ?? after?.user_id ?? '';
      return {
        action: actionOf({ before, after }),
        entity: 'member',
        entity_id,
        about: [entity_id],
        reason,
        changes: changesOf(kept(before), kept(after)),
      };
    }),
  );

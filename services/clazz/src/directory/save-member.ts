import { clazzEvents, Member, type memberCalls, fieldPicker, Problem } from '@teaching/contracts';
import { requireVersion, type Handler, saveChanged, type Session } from '@teaching/kit';
import { auditOfOrg, changesOf } from '../audit/record-audit.ts';
import { MEMBER } from '../record/record.tables.ts';
import { patchedMember, nameProblems, roleProblems } from './member.rules.ts';
import { restoreAccess, revokeTokens } from './revoke-tokens.ts';

const shown = fieldPicker(Member);

/**
 * Holds a person of the directory until the transaction ends; 404, or 412 where `If-Match` says otherwise. Whoever names
 * them where policy demands it waits, or was before.
 */
export const lockMember = async (session: Session, user_id: string): Promise<Member> =>
  shown(requireVersion(session, await session.lock(MEMBER, user_id), 'Member'));

/** A person before and after; null where the directory does not have them. */
interface MemberChange {
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

/** Saves a locked person as they are to be and emits the event; an unchanged person is not stored. */
export const saveMember = (session: Session, before: Member, wanted: Member, reason: string | null = null) =>
  saveChanged(session, before, wanted, (after) => {
    session.update(MEMBER, { org_id: session.org_id, ...after });
    if (after.status !== before.status)
      (after.status === 'inactive' ? revokeTokens : restoreAccess)(session, after.user_id);
    emitMemberEvent(session, [after]);
    auditMembers(session, [{ before, after }], reason);
    return undefined;
  });

export const updateMember: Handler<typeof memberCalls.updateMember> = async ({ path, body }, session) => {
  const before = await lockMember(session, path.user_id);
  const role = body.role ?? before.role;
  const errors = [...nameProblems(body, '/body'), ...roleProblems(role, body.roles, '/body/roles')];
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
  return saveMember(session, before, { ...before, ...patchedMember(before, body) });
};

import { clazzEvents, Member, type memberCalls, fieldPicker, Problem } from '@teaching/contracts';
import { requireVersion, type Handler, saveChanged, type Session } from '@teaching/kit';
import { auditOrg, changesOf } from '../audit/record-audit.ts';
import { MEMBER } from '../record/record.tables.ts';
import { patchedMember, nameProblems, roleProblems } from './member.rules.ts';
import { restoreAccess, revokeTokens } from './revoke-tokens.ts';

const shown = fieldPicker(Member);

/**
 * Locks a member until the transaction ends. 404 if it does not exist, 412 if `If-Match` has another version.
 * Transactions that name the member under the policy `people: listed` wait, or have finished.
 */
export const lockMember = async (session: Session, user_id: string): Promise<Member> =>
  shown(requireVersion(session, await session.lock(MEMBER, user_id), 'Member'));

/** A member before and after a change. Null: not in the directory. */
interface MemberChange {
  before: Member | null;
  after: Member | null;
}

/** The audited fields. Names cannot be erased from the audit log, so only `version` shows that they changed. */
const auditedFields = (it: Member | null) =>
  it && { role: it.role, roles: it.roles, status: it.status, version: it.version };
const actionOf = ({ before, after }: MemberChange): 'create' | 'update' | 'delete' => {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
};

/** Adds audit entries of the org for changed members. */
export const auditMembers = (session: Session, changes: readonly MemberChange[], reason: string | null): void =>
  auditOrg(
    session,
    changes.map(({ before, after }) => {
      const entity_id = before?.user_id ?? after?.user_id ?? '';
      return {
        action: actionOf({ before, after }),
        entity: 'member',
        entity_id,
        about: [entity_id],
        reason,
        changes: changesOf(auditedFields(before), auditedFields(after)),
      };
    }),
  );

/** Publishes the event from which other services update their copies of names. */
export const publishMemberEvent = (session: Session, members: readonly Member[]): void => {
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

/** Stores a locked member and publishes the change. An unchanged member is not stored. */
export const saveMember = (session: Session, before: Member, wanted: Member, reason: string | null = null) =>
  saveChanged(session, before, wanted, (after) => {
    session.update(MEMBER, { org_id: session.org_id, ...after });
    if (after.status !== before.status)
      (after.status === 'inactive' ? revokeTokens : restoreAccess)(session, after.user_id);
    publishMemberEvent(session, [after]);
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

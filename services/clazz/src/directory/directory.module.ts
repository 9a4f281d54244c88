import { memberCalls, meCalls, accessCalls, clazzReferenceCalls } from '@teaching/contracts';
import { type Module, routes } from '@teaching/kit';
import { checkReferences, countReferences, getRoster, getStudents } from '../reference/reference.calls.ts';
import { audience } from './audience.ts';
import { activateMember, deactivateMember } from './deactivate-member.ts';
import { deleteMember, eraseMember } from './erase-member.ts';
import { getChildren, listGuardians, putGuardians } from './guardians.ts';
import { listRevokedPeople } from './list-revocations.ts';
import { putMembers } from './put-members.ts';
import { getMe, getMember, listMembers } from './read-members.ts';
import { removeOldSignOuts, signOutMember } from './revoke-tokens.ts';
import { updateMember } from './save-member.ts';

/**
 * The directory: members, guardians and revoked tokens of an organization. It also answers calls of other services
 * about references.
 */
export const directoryModule: Module = {
  routes: [
    ...routes(memberCalls, {
      putMembers,
      listMembers,
      getMember,
      updateMember,
      deleteMember,
      deactivateMember,
      activateMember,
      signOutMember,
      putGuardians,
      listGuardians,
      eraseMember,
    }),
    ...routes(meCalls, { getMe }),
    ...routes(accessCalls, { listRevokedPeople: listRevokedPeople, audience }),
    ...routes(clazzReferenceCalls, { checkReferences, countReferences, getRoster, getStudents, getChildren }),
  ],
  jobs: [removeOldSignOuts],
};

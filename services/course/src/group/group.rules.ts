import { type Caller, isSupervisor } from '@teaching/kit';

/** A group that is not org-visible is seen by its owner and by supervisors only. */
export const maySee = (caller: Caller, it: { org_visible: boolean; owner_id: string }): boolean =>
  it.org_visible || it.owner_id === caller.user_id || isSupervisor(caller);

import { Problem } from '@teaching/contracts';
import { type Caller, isSupervisor } from './session.ts';

/** Whose a new record is: the caller's; only a supervisor may name somebody else. */
export const ownerOf = (caller: Caller, wanted: string | null | undefined): string => {
  if (wanted == null || wanted === caller.user_id) return caller.user_id;
  if (isSupervisor(caller)) return wanted;
  throw new Problem('forbidden', 'Only a supervisor may name another owner');
};

/** Refuses everybody but the owner and supervisors. */
export const requireOwner = (caller: Caller, owner_id: string): void => {
  if (!isSupervisor(caller) && owner_id !== caller.user_id) {
    throw new Problem('forbidden', 'Only the owner or a supervisor may change this');
  }
};

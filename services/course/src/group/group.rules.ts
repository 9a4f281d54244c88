import { type Caller, isStaff, type RelatedPeople } from '@teaching/kit';

/** The people related to a group. Only its owner and supervisors can see a group that is not org-visible. */
export const relatedPeopleOfGroup = (it: { org_visible: boolean; owner_id: string }): RelatedPeople => ({
  owner: it.owner_id,
  offered: it.org_visible,
});

/** Whether the caller sees all courses of a group. Students see only the active ones. */
export const canSeeDrafts = (caller: Caller): boolean => isStaff(caller);

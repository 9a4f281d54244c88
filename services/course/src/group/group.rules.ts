import { type Caller, isStaff, type RelatedPeople } from '@teaching/kit';

/** A group that is not org-visible is seen by its owner and by supervisors only. */
export const relatedPeopleOfGroup = (it: { org_visible: boolean; owner_id: string }): RelatedPeople => ({
  owner: it.owner_id,
  offered: it.org_visible,
});

/** Of the courses in a group students see the active ones. */
export const canSeeDrafts = (caller: Caller): boolean => isStaff(caller);

import { optional, PersonId } from './scalars.ts';

const about = {
  description: 'For guardians: which of their children it is about; left out, it is the first whom it is there for',
};

/** In the query of a read that a guardian makes for any of their children. */
export const chosenChild = { student_id: PersonId.optional().meta(about) };
/** The same in the body of a write. */
export const chosenChildInBody = { student_id: optional(PersonId).meta(about) };

const ofOwn = {
  description: 'For guardians: the child whose lessons they are. Others leave it out, or name themselves',
};
/** In a request that is about the caller, or about a child that its guardian names. */
export const namedChild = { student_id: PersonId.optional().meta(ofOwn) };
/** The same in the body of a write. */
export const namedChildInBody = { student_id: optional(PersonId).meta(ofOwn) };

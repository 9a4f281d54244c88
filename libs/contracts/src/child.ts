import { optional, PersonIdInput } from './scalars.ts';

const chosen = {
  description: 'For guardians: the child to act for. Default: the first child for whom the record exists',
};

/** Query member of a read that a guardian makes for any child. */
export const chosenChild = { student_id: PersonIdInput.optional().meta(chosen) };
/** The same as a body member of a write. */
export const chosenChildInBody = { student_id: optional(PersonIdInput).meta(chosen) };

const named = {
  description: 'For guardians: the child, required. Other callers omit it or send their own id',
};
/** Query member of a request about the caller, or about the child that a guardian names. */
export const namedChild = { student_id: PersonIdInput.optional().meta(named) };
/** The same as a body member of a write. */
export const namedChildInBody = { student_id: optional(PersonIdInput).meta(named) };

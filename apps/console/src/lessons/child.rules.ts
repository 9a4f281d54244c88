/** Whose lessons are looked at: the student who is here, or a child of theirs. */
export interface Child {
  id: string;
  name: string;
  isSelf: boolean;
}

/** In a request that looks for a record among all children of a guardian. */
export const chosenChild = ({ id, isSelf }: Child): { student_id?: string } => (isSelf ? {} : { student_id: id });

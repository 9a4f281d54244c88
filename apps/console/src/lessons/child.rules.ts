/** The student whose lessons are shown: the logged-in student, or a child of the logged-in guardian. */
export interface Child {
  id: string;
  name: string;
  isSelf: boolean;
}

/** The filter of a request about one child. A guardian names the child; a student needs no filter. */
export const chosenChild = ({ id, isSelf }: Child): { student_id?: string } => (isSelf ? {} : { student_id: id });

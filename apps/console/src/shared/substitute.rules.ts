/** Whether the teacher of a lesson is neither the lead teacher nor an assistant of its class. */
export const isSubstitute = (
  { teacher_id }: { teacher_id: string },
  clazz: { lead_teacher_id: string; assistant_ids: readonly string[] },
): boolean => teacher_id !== clazz.lead_teacher_id && !clazz.assistant_ids.includes(teacher_id);

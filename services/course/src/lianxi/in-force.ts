/** The extension `e` of one student at the practice `l`. */
export const extensionOf = (student: string): string =>
  `left join lianxi_extension e on e.org_id = l.org_id and e.lianxi_id = l.id and e.student_id = ${student}`;

/** The times of the practice `l` for the student of the extension `e`: whoever may hand in later finds it open until then. */
export const IN_FORCE = {
  due_at: 'coalesce(e.due_at, l.due_at)',
  closes_at: 'case when l.closes_at is not null then greatest(l.closes_at, e.due_at) end',
};

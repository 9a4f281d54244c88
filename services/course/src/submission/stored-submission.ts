/** Everything of a submission, and the due time in force for its student. Needs `SUBMISSION_FROM`. */
export const SUBMISSION_COLUMNS = `s.id, s.lianxi_id, s.student_id, s.attempt, s.answers, s.submitted_at,
  coalesce(e.due_at, l.due_at) as due_at, s.status, s.claimed_by, s.claim_expires_at, s.revision, s.score, s.points,
  s.comment, s.rubric, s.marked_by, s.marked_at, s.released_at, s.version`;

export const SUBMISSION_FROM = `submission s
  join lianxi l on l.org_id = s.org_id and l.id = s.lianxi_id
  left join lianxi_extension e on e.org_id = s.org_id and e.lianxi_id = s.lianxi_id and e.student_id = s.student_id`;

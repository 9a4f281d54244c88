import { type MarkRevision, Submission } from '@teaching/contracts';
import { notNull, hundredths, instant, nameColumns, p, type Session, table } from '@teaching/kit';
import { LIANXI } from './lianxi-rows.ts';
import type { StoredSubmission } from './submission.rules.ts';

/** Attempts at exercises. `late` and the status `marking` depend on the time of the read, so they are not stored. */
export const SUBMISSION = table('submission', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  lianxi_id: p.uuid(),
  teacher_id: p.text(),
  student_id: p.text(),
  attempt: p.integer(),
  answers: p.json<StoredSubmission['answers']>(),
  submitted_at: instant(),
  status: p.text().$type<StoredSubmission['status']>(),
  claimed_by: p.text().nullable(),
  claim_expires_at: instant().nullable(),
  revision: p.integer(),
  score: hundredths().nullable(),
  points: p.json<StoredSubmission['points']>(),
  comment: p.text().nullable(),
  rubric: p.json<NonNullable<StoredSubmission['rubric']>>().nullable(),
  marked_by: p.text().nullable(),
  marked_at: instant().nullable(),
  released_at: instant().nullable(),
  version: p.integer(),
});

/** All marks of a submission, the current one and the earlier ones. */
export const MARK_REVISION = table('mark_revision', {
  org_id: p.uuid().primary(),
  submission_id: p.uuid().primary(),
  revision: p.integer().primary(),
  score: hundredths(),
  points: p.json<NonNullable<MarkRevision['points']>>(),
  comment: p.text().nullable(),
  rubric: p.json<NonNullable<MarkRevision['rubric']>>().nullable(),
  reason: p.text().nullable(),
  marked_by: p.text().nullable(),
  marked_at: instant(),
});

const SUBMISSION_FIELDS = SUBMISSION.contractColumns(Submission);

/**
 * A submission `s` with the due time that applies to its student. `offset 0` makes Postgres look up the exercise and
 * the extension by key, in this order.
 */
export const STORED_SUBMISSION = {
  columns: `${SUBMISSION_FIELDS.withAlias('s')}, coalesce(e.due_at, l.due_at) as due_at`,
  shape: { ...SUBMISSION_FIELDS.shape, ...LIANXI.pick('due_at').shape },
  from: `submission s
    cross join lateral (select due_at from lianxi where org_id = s.org_id and id = s.lianxi_id offset 0) l
    left join lateral (
      select due_at from lianxi_extension
      where org_id = s.org_id and lianxi_id = s.lianxi_id and student_id = s.student_id offset 0) e on true`,
};

const personNames = nameColumns('s', 'student_id', 'marked_by', 'claimed_by');

/** A submission `s` with the names for its ids. */
export const NAMED_SUBMISSION = {
  columns: `${STORED_SUBMISSION.columns}, ${personNames.columns},
    (select title from lianxi where org_id = s.org_id and id = s.lianxi_id) as lianxi_title`,
  shape: { ...STORED_SUBMISSION.shape, ...personNames.shape, lianxi_title: notNull(p.text()) },
};

/** Stores the current mark of a submission as a revision. Does nothing if the submission has no mark yet. */
export const saveMarkRevision = (session: Session, it: StoredSubmission, reason: string | null): void => {
  const { id: submission_id, answers: _large, score, marked_at, ...mark } = it;
  if (score === null || marked_at === null) return;
  session.insert(MARK_REVISION, { org_id: session.org_id, submission_id, score, marked_at, reason, ...mark });
};

import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { page, pageQuery, sortQuery } from '../page.ts';
import { ID, optional, STAFF, text } from '../scalars.ts';
import { MarkFields, MarkRevision, MAX_STUDENTS, NamedSubmission } from './lianxi.schema.ts';

const BASE = '/api/v1/ws/piyue';

/** Marking: submitted → marking → marked → released. */
export const piyueCalls = {
  listPiyueQueue: call({
    id: 'course.piyue.queue',
    http: `GET ${BASE}/queue`,
    summary:
      'What the caller can mark now, oldest first: for teachers attempts at their own practices (or at `lianxi_id`), for supervisors all; not what somebody else has claimed',
    who: STAFF,
    whose: 'all',
    writes: false,
    query: { lianxi_id: ID.optional(), ...sortQuery(['submitted_at'], 'submitted_at'), ...pageQuery },
    output: page(NamedSubmission),
  }),
  claimSubmission: call({
    id: 'course.piyue.claim',
    http: `POST ${BASE}/{submission_id}/claim`,
    summary: 'Take a submission for marking, for 30 minutes; again by the same person renews it',
    who: STAFF,
    whose: 'all',
    writes: true,
    path: { submission_id: ID },
    output: NamedSubmission,
    errors: ['claim_held', 'version_mismatch'],
  }),
  markSubmission: call({
    id: 'course.piyue.mark',
    http: `PUT ${BASE}/{submission_id}`,
    summary:
      'Mark a claimed submission, or mark it again; after release a reason is required. Points are at most what a question is worth and add up to the score (those left out stay), the score is at most the points of the practice',
    who: STAFF,
    whose: 'all',
    writes: true,
    path: { submission_id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({ ...MarkFields.create, reason: optional(text(1_000)) }),
    output: NamedSubmission,
    errors: ['claim_held', 'not_claimed', 'version_mismatch'],
  }),
  releaseSubmissionMarks: call({
    id: 'course.piyue.release',
    http: `POST ${BASE}/release`,
    summary: `Show marks to their students (at most ${MAX_STUDENTS} submissions, all or none)`,
    who: STAFF,
    whose: 'all',
    writes: true,
    max_body: LARGEST_BODY,
    body: z.strictObject({ submission_ids: z.array(ID).min(1).max(MAX_STUDENTS) }),
    output: z.object({ items: z.array(NamedSubmission) }),
    errors: ['not_marked'],
  }),
  listSubmissionMarks: call({
    id: 'course.piyue.history',
    http: `GET ${BASE}/{submission_id}/history`,
    summary: 'Every mark a submission ever had, oldest first',
    who: STAFF,
    whose: 'all',
    writes: false,
    path: { submission_id: ID },
    output: page(MarkRevision),
  }),
};

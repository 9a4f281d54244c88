import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { commaSeparated, page, pageQuery, sortQuery } from '../page.ts';
import { ID, optional, STAFF, text } from '../scalars.ts';
import { MarkFields, MarkRevision, MAX_STUDENTS, NamedSubmission } from './lianxi.schema.ts';

const BASE = '/api/v1/ws/piyue';

/** Marking of submissions: submitted → marking → marked → released. */
export const piyueCalls = {
  listPiyueQueue: call({
    id: 'course.piyue.queue',
    http: `GET ${BASE}/queue`,
    summary:
      'List submissions to mark, oldest first. Teachers see attempts at their own exercises or at `lianxi_id`, supervisors see all. Submissions that another person has claimed are omitted',
    roles: STAFF,
    access: 'all',
    writes: false,
    query: { lianxi_id: commaSeparated(ID).optional(), ...sortQuery(['submitted_at'], 'submitted_at'), ...pageQuery },
    output: page(NamedSubmission),
  }),
  claimSubmission: call({
    id: 'course.piyue.claim',
    http: `POST ${BASE}/{submission_id}/claim`,
    summary: 'Claim a submission for marking, for 30 minutes. A repeated claim renews it',
    roles: STAFF,
    access: 'all',
    writes: true,
    path: { submission_id: ID },
    output: NamedSubmission,
    errors: ['claim_held', 'version_mismatch'],
  }),
  markSubmission: call({
    id: 'course.piyue.mark',
    http: `PUT ${BASE}/{submission_id}`,
    summary:
      'Mark a claimed submission, or mark it again. After release a reason is required. The given points must add up to the score',
    roles: STAFF,
    access: 'all',
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
    summary: `Release marks to their students. At most ${MAX_STUDENTS} submissions, all or none`,
    roles: STAFF,
    access: 'all',
    writes: true,
    max_body: LARGEST_BODY,
    body: z.strictObject({ submission_ids: z.array(ID).min(1).max(MAX_STUDENTS) }),
    output: z.object({ items: z.array(NamedSubmission) }),
    errors: ['not_marked'],
  }),
  listSubmissionMarks: call({
    id: 'course.piyue.history',
    http: `GET ${BASE}/{submission_id}/history`,
    summary: 'List all marks of a submission, oldest first',
    roles: STAFF,
    access: 'all',
    writes: false,
    path: { submission_id: ID },
    output: page(MarkRevision),
  }),
};

import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { chosenChild } from '../child.ts';
import { CopyBody } from '../copy-body.ts';
import { keywordQuery, page, pageQuery, sortQuery, commaSeparated } from '../page.ts';
import { ALL_ROLES, ID, InstantInput, optional, PersonIdInput, PersonName, STAFF } from '../scalars.ts';
import { rule } from '../rules.ts';
import {
  Answers,
  LianxiExtension,
  LianxiFields,
  LianxiOverview,
  MAX_ANSWER_BYTES,
  NamedLianxi,
  NamedLianxiRow,
  NamedSubmission,
  StudentIds,
  SubmissionStatus,
} from './lianxi.schema.ts';

const BASE = '/api/v1/ws/lianxi';

type Assignment = { clazz_id?: string | null | undefined; student_ids?: string[] | null | undefined };
const oneAssignment = rule(
  ['clazz_id', 'student_ids'],
  ({ clazz_id, student_ids }: Assignment) => clazz_id == null || student_ids == null,
  { path: 'student_ids', message: 'must not be sent together with clazz_id' },
);

type Ends = { due_at?: string | null | undefined; closes_at?: string | null | undefined };
const dueBeforeClosing = rule(
  ['due_at', 'closes_at'],
  ({ due_at, closes_at }: Ends) => due_at == null || closes_at == null || due_at <= closes_at,
  { path: 'closes_at', message: 'must not be before due_at' },
);

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Exercises (rules, part 3), assigned to a class or to students. Students get no answer key before release. */
export const lianxiCalls = {
  createLianxi: call({
    id: 'course.lianxi.create',
    http: `POST ${BASE}`,
    summary: 'Create an exercise for a course section. Assign it to a class or to students',
    roles: STAFF,
    access: 'all',
    writes: true,
    status: 201,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({ ...LianxiFields.create, student_ids: optional(StudentIds) })
      .check(oneAssignment, dueBeforeClosing),
    output: NamedLianxi,
  }),
  listLianxi: call({
    id: 'course.lianxi.list',
    http: `GET ${BASE}`,
    summary:
      'List exercises. Students see those that are assigned to them or that they handed in. Staff may name a student',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    query: {
      ...keywordQuery,
      course_id: commaSeparated(ID).optional(),
      course_section_id: commaSeparated(ID).optional(),
      clazz_id: commaSeparated(ID).optional(),
      teacher_id: commaSeparated(PersonIdInput).optional(),
      student_id: commaSeparated(PersonIdInput).optional().meta({
        description:
          'Exercises that one of these students is assigned or handed in. For one student the times are theirs',
      }),
      ...sortQuery(['title', 'due_at', 'created_at', 'updated_at'], '-created_at'),
      ...pageQuery,
    },
    output: page(NamedLianxiRow),
  }),
  getLianxi: call({
    id: 'course.lianxi.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read an exercise. Students see answer keys after one of their marks is released, unless `key` is `never`',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    path: { id: ID },
    query: chosenChild,
    output: NamedLianxi,
  }),
  copyLianxi: call({
    id: 'course.lianxi.copy',
    http: `POST ${BASE}/{id}/copy`,
    summary:
      'Copy an exercise. The copy is in the same section and has the questions and keys, but no assignment and no times. It belongs to the caller',
    roles: STAFF,
    access: 'all',
    writes: true,
    status: 201,
    path: { id: ID },
    body: CopyBody,
    output: NamedLianxi,
  }),
  updateLianxi: call({
    id: 'course.lianxi.update',
    http: `PATCH ${BASE}/{id}`,
    summary:
      'Update an exercise. The content cannot change after the first submission. A new assignment replaces the old one',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LARGEST_BODY,
    body: z
      .strictObject({ ...LianxiFields.patch, student_ids: optional(StudentIds) })
      .check(oneAssignment, dueBeforeClosing),
    output: NamedLianxi,
    errors: ['in_use', 'version_mismatch'],
  }),
  deleteLianxi: call({
    id: 'course.lianxi.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete an exercise without submissions',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['in_use', 'version_mismatch'],
  }),
  extendLianxi: call({
    id: 'course.lianxi.extend',
    http: `POST ${BASE}/{id}/extension`,
    summary:
      'Extend the due time of one student. It also applies to earlier attempts. The exercise stays open for the student until then',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    body: z.strictObject({ student_id: PersonIdInput, due_at: InstantInput }),
    output: LianxiExtension.extend({ student_name: PersonName, granted_by_name: PersonName }),
    errors: ['version_mismatch'],
  }),
  getLianxiOverview: call({
    id: 'course.lianxi.overview',
    http: `GET ${BASE}/{id}/overview`,
    summary:
      'Read the results of an exercise. The latest attempt of each student counts: missing submissions, mean, median, and share of correct answers',
    roles: STAFF,
    access: 'all',
    writes: false,
    path: { id: ID },
    output: LianxiOverview,
  }),
  submitLianxi: call({
    id: 'course.submission.create',
    http: `POST ${BASE}/{id}/submission`,
    summary: 'Submit an attempt at an exercise. The answers have at most 64 KiB. Earlier attempts stay readable',
    roles: ['STUDENT'],
    access: { STUDENT: 'member' },
    writes: true,
    status: 201,
    path: { id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({
      answers: Answers.refine((answers) => bytesOf(answers) <= MAX_ANSWER_BYTES, {
        message: `must not be larger than ${MAX_ANSWER_BYTES} bytes`,
      }),
    }),
    output: NamedSubmission,
    errors: ['practice_closed', 'attempts_used_up'],
  }),
  listSubmissions: call({
    id: 'course.submission.list',
    http: `GET ${BASE}/{id}/submission`,
    summary: 'List the attempts at an exercise. Students see their own',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    path: { id: ID },
    query: {
      student_id: commaSeparated(PersonIdInput).optional(),
      status: commaSeparated(SubmissionStatus).optional(),
      ...sortQuery(['submitted_at'], '-submitted_at'),
      ...pageQuery,
    },
    output: page(NamedSubmission),
  }),
};

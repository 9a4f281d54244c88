import { z } from 'zod';
import { call, LARGEST_BODY } from '../call.ts';
import { chosenChild } from '../child.ts';
import { dayNumber } from '../days.ts';
import { commaSeparated, keywordQuery, page, pageQuery, sortQuery } from '../page.ts';
import { recurrenceProblems } from '../recurrence.ts';
import { areValid, daysInOrder, rule } from '../rules.ts';
import { ALL_ROLES, ID, LocalDateInput, optional, PersonIdInput, ROLES, STAFF } from '../scalars.ts';
import {
  DakaContent,
  JihuaFields,
  MAX_PLAN_DAYS,
  NamedDaka,
  NamedJihua,
  NamedJihuaRow,
  PLAN_TOO_LONG,
  Streak,
} from './jihua.schema.ts';
import { MAX_STUDENTS, StudentIds } from './lianxi.schema.ts';

const BASE = '/api/v1/ws/jihua';

type Rhythm = { weekdays?: number[] | null | undefined; rrule?: string | null | undefined };
const oneRhythm = rule(['weekdays', 'rrule'], ({ weekdays, rrule }: Rhythm) => weekdays == null || rrule == null, {
  path: 'rrule',
  message: 'must not be sent together with weekdays',
});

type Days = { starts_on?: string | undefined; ends_on?: string | undefined };
const planLength = rule(
  ['starts_on', 'ends_on'],
  ({ starts_on, ends_on }: Days) =>
    starts_on === undefined || ends_on === undefined || dayNumber(ends_on) - dayNumber(starts_on) < MAX_PLAN_DAYS,
  { path: 'ends_on', message: PLAN_TOO_LONG },
);

/** Names every problem of a recurrence rule. */
const planRule = z.superRefine<Rhythm>(
  ({ rrule }, context) => {
    if (rrule == null) return;
    const isTimed = /UNTIL=\d{8}T/i.test(rrule);
    const problems = [...recurrenceProblems(rrule), ...(isTimed ? ['UNTIL must be a date: a plan has days'] : [])];
    for (const message of problems) context.addIssue({ code: 'custom', path: ['rrule'], message });
  },
  { when: areValid(['rrule']) },
);

/** Plans (rules, part 3). */
export const jihuaCalls = {
  createJihua: call({
    id: 'course.jihua.create',
    http: `POST ${BASE}`,
    summary: 'Create a plan of days with check-ins. Students named here belong to it from its first day',
    roles: STAFF,
    access: 'all',
    writes: true,
    status: 201,
    max_body: LARGEST_BODY,
    body: z
      .strictObject({ ...JihuaFields.create, student_ids: optional(StudentIds) })
      .check(oneRhythm, planRule, daysInOrder, planLength),
    output: NamedJihua,
  }),
  listJihua: call({
    id: 'course.jihua.list',
    http: `GET ${BASE}`,
    summary: 'List plans. Students see their own. Staff may name a student',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    query: {
      ...keywordQuery,
      teacher_id: commaSeparated(PersonIdInput).optional(),
      student_id: commaSeparated(PersonIdInput).optional(),
      ...sortQuery(['title', 'starts_on', 'ends_on', 'created_at', 'updated_at'], '-created_at'),
      ...pageQuery,
    },
    output: page(NamedJihuaRow),
  }),
  getJihua: call({
    id: 'course.jihua.get',
    http: `GET ${BASE}/{id}`,
    summary: 'Read a plan. Students read their own',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'member' },
    child: 'any',
    writes: false,
    path: { id: ID },
    query: chosenChild,
    output: NamedJihua,
  }),
  updateJihua: call({
    id: 'course.jihua.update',
    http: `PATCH ${BASE}/{id}`,
    summary:
      'Update a plan. After the first check-in, start, zone, weekdays and rule cannot change. If an ended plan is extended, the days between are frozen',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject(JihuaFields.patch).check(oneRhythm, planRule, daysInOrder, planLength),
    output: NamedJihua,
    errors: ['in_use', 'version_mismatch'],
  }),
  deleteJihua: call({
    id: 'course.jihua.remove',
    http: `DELETE ${BASE}/{id}`,
    summary: 'Delete a plan without check-ins',
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    status: 204,
    path: { id: ID },
    output: z.null(),
    errors: ['in_use', 'version_mismatch'],
  }),
  putJihuaStudents: call({
    id: 'course.jihua.put_students',
    http: `PUT ${BASE}/{id}/students`,
    summary: `Replace the students of a plan, at most ${MAX_STUDENTS}. New students belong to it from \`since\`; the others keep their first day. Check-ins stay`,
    roles: STAFF,
    access: { TEACHER: 'owner' },
    writes: true,
    path: { id: ID },
    max_body: LARGEST_BODY,
    body: z.strictObject({ student_ids: StudentIds, since: optional(LocalDateInput) }),
    output: NamedJihua,
    errors: ['version_mismatch'],
  }),
};

/** Check-ins. */
export const dakaCalls = {
  putDaka: call({
    id: 'course.daka.put',
    http: 'POST /api/v1/ws/daka',
    summary:
      'Check in on a planned day, by default today. A second check-in on the same day updates the first. Staff name the student',
    roles: ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    student_required: true,
    writes: true,
    status: 201,
    max_body: LARGEST_BODY,
    body: z.strictObject({
      jihua_id: ID,
      local_date: optional(LocalDateInput),
      content: optional(DakaContent),
      student_id: optional(PersonIdInput),
    }),
    status_if_exists: 200,
    output: NamedDaka,
    errors: ['backfill_closed'],
  }),
  listDaka: call({
    id: 'course.daka.list',
    http: 'GET /api/v1/ws/daka/list',
    summary: 'List check-ins, latest day first. Students see their own',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    writes: false,
    query: {
      jihua_id: commaSeparated(ID).optional(),
      student_id: commaSeparated(PersonIdInput).optional(),
      from: LocalDateInput.optional(),
      to: LocalDateInput.optional(),
      ...sortQuery(['local_date'], '-local_date'),
      ...pageQuery,
    },
    output: page(NamedDaka),
  }),
  getDakaStreak: call({
    id: 'course.daka.streak',
    http: 'GET /api/v1/ws/daka/streak',
    summary:
      'Read the streak of a student on a plan. The response has the current and longest streak and the rate. Staff name the student',
    roles: ALL_ROLES,
    access: { TEACHER: 'all', STUDENT: 'self' },
    child: 'named',
    student_required: true,
    writes: false,
    query: { jihua_id: ID, student_id: PersonIdInput.optional() },
    output: Streak,
  }),
};

import { z } from 'zod';
import { call } from '../call.ts';
import { page, pageQuery } from '../page.ts';
import { HoursInput, ID, InstantInput, optional, PersonId, ROLES, text, Zone } from '../scalars.ts';
import { Reason } from './clazz.calls.ts';
import { Lesson, LESSON_STATUSES } from './clazz.schema.ts';

const STAFF = ['SUPERVISOR', 'TEACHER'] as const;
const BASE = '/api/v1/clazz';

const range = {
  from: InstantInput.optional().meta({ description: 'Lessons that end after this' }),
  to: InstantInput.optional().meta({ description: 'Lessons that start before this' }),
};
/** What may be set on one lesson and on a series alike. */
export const lessonOptions = {
  hours: optional(HoursInput),
  teacher_id: optional(PersonId),
  room: optional(text(100)),
  override: optional(z.boolean()).meta({ description: 'SUPERVISOR: keep clashes, `reason` required' }),
  reason: optional(Reason),
};
export const lessonScope = z.enum(['this', 'following', 'all']).default('this');

export const lessonCalls = {
  create: call({
    id: 'clazz.lesson.create',
    http: `POST ${BASE}/{id}/lesson`,
    summary: 'Schedule one lesson; it may lie in the past',
    who: STAFF,
    writes: true,
    status: 201,
    path: { id: ID },
    body: z.strictObject({
      starts_at: InstantInput,
      ends_at: InstantInput,
      zone: optional(Zone),
      ...lessonOptions,
    }),
    output: Lesson,
    errors: ['clazz_closed', 'schedule_conflict'],
  }),
  list: call({
    id: 'clazz.lesson.list',
    http: `GET ${BASE}/{id}/lesson`,
    summary: 'Lessons of a class by start',
    who: ROLES,
    writes: false,
    audited: true,
    path: { id: ID },
    query: { ...range, status: z.enum(LESSON_STATUSES).optional(), series_id: ID.optional(), ...pageQuery },
    output: page(Lesson),
  }),
  my: call({
    id: 'clazz.lesson.my',
    http: `GET ${BASE}/lesson/my`,
    summary: "The caller's own lessons by start: taught, assisted or attended",
    who: ROLES,
    writes: false,
    audited: true,
    query: { ...range, ...pageQuery },
    output: page(Lesson),
  }),
  get: call({
    id: 'clazz.lesson.get',
    http: `GET ${BASE}/lesson/{lesson_id}`,
    summary: 'Read one lesson',
    who: ROLES,
    writes: false,
    audited: true,
    path: { lesson_id: ID },
    output: Lesson,
  }),
  cancel: call({
    id: 'clazz.lesson.cancel',
    http: `POST ${BASE}/lesson/{lesson_id}/cancel`,
    summary: 'Cancel a lesson, or the rest or all of its series; held lessons need a supervisor and a reason',
    who: STAFF,
    writes: true,
    path: { lesson_id: ID },
    query: { scope: lessonScope },
    body: z.strictObject({ reason: optional(Reason), by: optional(z.enum(['teacher', 'org'])) }).optional(),
    output: Lesson,
    errors: ['clazz_closed', 'invalid_transition', 'version_mismatch'],
  }),
};

import { z } from 'zod';
import { event } from '../event.ts';
import { ID, Instant, LocalDate, PersonId, Role } from '../scalars.ts';
import { CourseCategory } from './category.calls.ts';
import { Course, CourseGroup, CourseSection } from './course.schema.ts';
import { JihuaRow, JihuaStudent } from './jihua.schema.ts';
import { LianxiExtension, LianxiRow, SubmissionStatus } from './lianxi.schema.ts';

const Group = CourseGroup.omit({ courses: true });
const Gone = z.object({ id: ID });
const GoneSection = Gone.extend({ course_id: ID });

/** One mark of a submission by a person. */
const Marked = z.object({
  submission_id: ID,
  lianxi_id: ID,
  student_id: PersonId,
  marker_id: PersonId,
  submitted_at: Instant,
  marked_at: Instant,
  revision: z.int(),
  /** The class the practice was given to; `null` when it was given to students by name. */
  clazz_id: ID.nullable().optional(),
});

const STATS = { feeds: ['stats'] };

/** What happens in the course service. A deletion is `course.<entity>.deleted`, one event for each record. */
export const courseEvents = {
  categoryCreated: event('course.category.created', 'A course category was created', CourseCategory),
  categoryUpdated: event('course.category.updated', 'A course category was renamed or moved', CourseCategory),
  categoryDeleted: event('course.category.deleted', 'A course category was deleted', Gone),
  courseCreated: event('course.course.created', 'A course was created', Course),
  courseUpdated: event('course.course.updated', 'A course was changed', Course),
  courseDeleted: event('course.course.deleted', 'A course was deleted', Gone),
  sectionCreated: event('course.section.created', 'A section was added to a course', CourseSection),
  sectionUpdated: event('course.section.updated', 'A section was changed', CourseSection),
  sectionDeleted: event('course.section.deleted', 'A section was deleted', GoneSection),
  sectionsReordered: event(
    'course.section.reordered',
    'Sections of a course were moved, also by one put between them or taken out; all of them, in the new order',
    z.object({ course_id: ID, section_ids: z.array(ID) }),
  ),
  groupCreated: event('course.group.created', 'A course group was created', Group),
  groupUpdated: event('course.group.updated', 'A course group was changed', Group),
  groupDeleted: event('course.group.deleted', 'A course group was deleted', Gone),
  groupCoursesPut: event(
    'course.group.courses_put',
    'The courses of a group changed; all of them, in order',
    z.object({ id: ID, version: z.int(), course_ids: z.array(ID) }),
  ),
  membersChanged: event(
    'course.member.changed',
    'People were added to the directory or renamed, while the course service kept it',
    z.object({
      members: z.array(z.object({ user_id: PersonId, role: Role, display_name: z.string() })),
    }),
    { ...STATS, replaced_by: 'clazz.member.changed.v1' },
  ),
  memberErased: event(
    'course.member.erased',
    'A person was erased, while the course service kept the directory',
    z.object({ user_id: PersonId, erased_at: Instant }),
    { ...STATS, replaced_by: 'clazz.member.erased.v1' },
  ),
  jihuaCreated: event('course.jihua.created', 'A plan was created', JihuaRow),
  jihuaUpdated: event('course.jihua.updated', 'A plan was changed', JihuaRow),
  jihuaDeleted: event('course.jihua.deleted', 'A plan was deleted', Gone),
  jihuaStudentsPut: event(
    'course.jihua.students_put',
    'The students of a plan changed; all of them',
    z.object({ id: ID, student_ids: z.array(PersonId), students: z.array(JihuaStudent).optional() }),
  ),
  dakaRecorded: event(
    'course.daka.recorded',
    'A student checked in on a day of a plan, or changed that check-in; its content stays inside',
    z.object({
      id: ID,
      jihua_id: ID,
      student_id: PersonId,
      local_date: LocalDate,
      backfilled: z.boolean(),
      version: z.int(),
    }),
  ),
  lianxiCreated: event('course.lianxi.created', 'A practice was created', LianxiRow),
  lianxiUpdated: event('course.lianxi.updated', 'A practice was changed or assigned anew', LianxiRow),
  lianxiAssigned: event(
    'course.lianxi.assigned',
    'A practice was given to a class, or to students by name; all of them',
    z.object({ id: ID, clazz_id: ID.nullable(), student_ids: z.array(PersonId) }),
  ),
  lianxiDeleted: event('course.lianxi.deleted', 'A practice was deleted', Gone),
  lianxiExtended: event('course.lianxi.extended', 'A student was given another due time', LianxiExtension),
  submissionCreated: event(
    'course.submission.created',
    'A student handed in an attempt; what was answered stays inside',
    z.object({
      submission_id: ID,
      lianxi_id: ID,
      student_id: PersonId,
      attempt: z.int(),
      /** `marked` when a machine could score all of it. */
      status: SubmissionStatus,
      late: z.boolean(),
      submitted_at: Instant,
    }),
  ),
  submissionClaimed: event(
    'course.piyue.claimed',
    'Somebody took a submission for marking',
    z.object({ submission_id: ID, lianxi_id: ID, marker_id: PersonId, expires_at: Instant }),
  ),
  submissionReleased: event(
    'course.piyue.released',
    'A mark was shown to its student; at once, by whoever made the practice so, if a machine gave it',
    z.object({
      submission_id: ID,
      lianxi_id: ID,
      student_id: PersonId,
      revision: z.int(),
      released_by: PersonId,
      released_at: Instant,
    }),
  ),
  submissionMarked: event(
    'course.piyue.marked',
    'A submission that waited for a person was marked or marked again; scores stay inside until release',
    Marked,
    STATS,
  ),
  machineMarkChanged: event(
    'course.piyue.machine_mark_changed',
    'A submission that a machine had marked was marked again by a person: no marking that somebody waited for',
    Marked,
  ),
};

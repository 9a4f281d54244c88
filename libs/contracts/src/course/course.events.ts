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

/** A mark of a submission that a person gave. */
const Marked = z.object({
  submission_id: ID,
  lianxi_id: ID,
  student_id: PersonId,
  marker_id: PersonId,
  submitted_at: Instant,
  marked_at: Instant,
  revision: z.int(),
  /** The class of the exercise; `null` if it is assigned to students. */
  clazz_id: ID.nullable().optional(),
});

const STATS = { feeds: ['stats'] };

/** The events of the course service. A deletion is `course.<entity>.deleted`, one event for each record. */
export const courseEvents = {
  categoryCreated: event('course.category.created', 'A course category was created', CourseCategory),
  categoryUpdated: event('course.category.updated', 'A course category was renamed or moved', CourseCategory),
  categoryDeleted: event('course.category.deleted', 'A course category was deleted', Gone),
  courseCreated: event('course.course.created', 'A course was created', Course),
  courseUpdated: event('course.course.updated', 'A course was updated', Course),
  courseDeleted: event('course.course.deleted', 'A course was deleted', Gone),
  sectionCreated: event('course.section.created', 'A section was created', CourseSection),
  sectionUpdated: event('course.section.updated', 'A section was updated', CourseSection),
  sectionDeleted: event('course.section.deleted', 'A section was deleted', GoneSection),
  sectionsReordered: event(
    'course.section.reordered',
    'The order of the sections of a course changed. Contains all sections in the new order',
    z.object({ course_id: ID, section_ids: z.array(ID) }),
  ),
  groupCreated: event('course.group.created', 'A course group was created', Group),
  groupUpdated: event('course.group.updated', 'A course group was updated', Group),
  groupDeleted: event('course.group.deleted', 'A course group was deleted', Gone),
  groupCoursesPut: event(
    'course.group.courses_put',
    'The courses of a group changed. Contains all courses in order',
    z.object({ id: ID, version: z.int(), course_ids: z.array(ID) }),
  ),
  membersChanged: event(
    'course.member.changed',
    'People were added or renamed in the directory. Published while the course service owned it',
    z.object({
      members: z.array(z.object({ user_id: PersonId, role: Role, display_name: z.string() })),
    }),
    { ...STATS, replaced_by: 'clazz.member.changed.v1' },
  ),
  memberErased: event(
    'course.member.erased',
    'A person was erased. Published while the course service owned the directory',
    z.object({ user_id: PersonId, erased_at: Instant }),
    { ...STATS, replaced_by: 'clazz.member.erased.v1' },
  ),
  jihuaCreated: event('course.jihua.created', 'A plan was created', JihuaRow),
  jihuaUpdated: event('course.jihua.updated', 'A plan was updated', JihuaRow),
  jihuaDeleted: event('course.jihua.deleted', 'A plan was deleted', Gone),
  jihuaStudentsPut: event(
    'course.jihua.students_put',
    'The students of a plan changed. Contains all students',
    z.object({ id: ID, student_ids: z.array(PersonId), students: z.array(JihuaStudent).optional() }),
  ),
  dakaRecorded: event(
    'course.daka.recorded',
    'A check-in was created or updated. The event does not contain its content',
    z.object({
      id: ID,
      jihua_id: ID,
      student_id: PersonId,
      local_date: LocalDate,
      backfilled: z.boolean(),
      version: z.int(),
    }),
  ),
  lianxiCreated: event('course.lianxi.created', 'An exercise was created', LianxiRow),
  lianxiUpdated: event('course.lianxi.updated', 'An exercise was updated or assigned again', LianxiRow),
  lianxiAssigned: event(
    'course.lianxi.assigned',
    'An exercise was assigned to a class or to students. Contains the whole assignment',
    z.object({ id: ID, clazz_id: ID.nullable(), student_ids: z.array(PersonId) }),
  ),
  lianxiDeleted: event('course.lianxi.deleted', 'An exercise was deleted', Gone),
  lianxiExtended: event('course.lianxi.extended', 'The due time of a student was extended', LianxiExtension),
  submissionCreated: event(
    'course.submission.created',
    'A student submitted an attempt. The event does not contain the answers',
    z.object({
      submission_id: ID,
      lianxi_id: ID,
      student_id: PersonId,
      attempt: z.int(),
      /** `marked` if the system scored the whole attempt. */
      status: SubmissionStatus,
      late: z.boolean(),
      submitted_at: Instant,
    }),
  ),
  submissionClaimed: event(
    'course.piyue.claimed',
    'A submission was claimed for marking',
    z.object({ submission_id: ID, lianxi_id: ID, marker_id: PersonId, expires_at: Instant }),
  ),
  submissionReleased: event(
    'course.piyue.released',
    'A mark was released to the student. With `release: at_once`, `released_by` is the owner of the exercise',
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
    'A submission was marked. A person gave the mark. The event does not contain scores',
    Marked,
    STATS,
  ),
  machineMarkChanged: event(
    'course.piyue.machine_mark_changed',
    'A mark of the system was changed by a person. It does not count as marking work',
    Marked,
  ),
};

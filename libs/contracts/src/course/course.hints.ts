import { type Change, hint, type Hint, type HintsOf } from '../changes.schema.ts';
import type { Course } from './course.schema.ts';
import type { courseEvents } from './course.events.ts';
import type { LianxiRow } from './lianxi.schema.ts';

const one =
  (kind: Change['kind']) =>
  ({ id }: { id: string }): Hint =>
    hint(kind, { ids: [id] });
const course = ({ id, status, teacher_id }: Course): Hint =>
  hint('course', { ids: [id], user_ids: [teacher_id], offered: status === 'active' });
const group = ({ id, owner_id, org_visible }: { id: string; owner_id: string; org_visible: boolean }): Hint =>
  hint('group', { ids: [id], user_ids: [owner_id], offered: org_visible });
const practice = ({ id, clazz_id, teacher_id }: LianxiRow): Hint =>
  hint('practice', { ids: [id], clazz_id, user_ids: [teacher_id] });
/** Marking is visible to staff. Students receive a hint when the mark is released. */
const marking = ({ submission_id }: { submission_id: string }): Hint => hint('marking', { ids: [submission_id] });
const submission = ({ submission_id, student_id }: { submission_id: string; student_id: string }): Hint =>
  hint('submission', { ids: [submission_id], user_ids: [student_id] });

/** The hints of the events of the course service. */
export const courseHints: HintsOf<typeof courseEvents> = {
  categoryCreated: one('category'),
  categoryUpdated: one('category'),
  categoryDeleted: one('category'),
  courseCreated: course,
  courseUpdated: course,
  courseDeleted: one('course'),
  sectionCreated: one('section'),
  sectionUpdated: one('section'),
  sectionDeleted: one('section'),
  sectionsReordered: ({ section_ids }) => hint('section', { ids: section_ids }),
  groupCreated: group,
  groupUpdated: group,
  groupDeleted: one('group'),
  groupCoursesPut: one('group'),
  membersChanged: null,
  memberErased: null,
  jihuaCreated: one('plan'),
  jihuaUpdated: one('plan'),
  jihuaDeleted: one('plan'),
  jihuaStudentsPut: ({ id, student_ids }) => hint('plan', { ids: [id], user_ids: student_ids }),
  dakaRecorded: ({ id, student_id }) => hint('check_in', { ids: [id], user_ids: [student_id] }),
  lianxiCreated: practice,
  lianxiUpdated: practice,
  lianxiAssigned: ({ id, clazz_id, student_ids }) => hint('practice', { ids: [id], clazz_id, user_ids: student_ids }),
  lianxiDeleted: one('practice'),
  lianxiExtended: ({ lianxi_id, student_id }) => hint('practice', { ids: [lianxi_id], user_ids: [student_id] }),
  submissionCreated: submission,
  submissionClaimed: marking,
  submissionReleased: submission,
  submissionMarked: marking,
  machineMarkChanged: marking,
};

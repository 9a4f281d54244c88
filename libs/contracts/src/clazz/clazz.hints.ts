import { different, hint, type HintsOf } from '../changes.schema.ts';
import type { clazzEvents } from './clazz.events.ts';

/** The hints of the events of the class service. */
export const clazzHints: HintsOf<typeof clazzEvents> = {
  clazzChanged: ({ clazz }) =>
    hint('clazz', {
      ids: [clazz.id],
      clazz_id: clazz.id,
      user_ids: different([clazz.lead_teacher_id, ...clazz.assistant_ids]),
    }),
  enrolmentChanged: ({ clazz_id, enrolments }) =>
    hint('enrolment', { clazz_id, user_ids: different(enrolments.map(({ student_id }) => student_id)) }),
  lessonChanged: ({ clazz_id, lessons }) =>
    hint('lesson', {
      ids: lessons.map(({ id }) => id),
      clazz_id,
      user_ids: different(lessons.map(({ teacher_id }) => teacher_id)),
    }),
  lessonDeleted: ({ clazz_id, lesson_ids }) => hint('lesson', { ids: lesson_ids, clazz_id }),
  rollCallRecorded: null,
  rollCallsRecorded: ({ clazz_id, lessons }) =>
    lessons.map(({ lesson, marks }) =>
      hint('roll_call', { ids: [lesson.id], clazz_id, user_ids: marks.map(({ student_id }) => student_id) }),
    ),
  leaveChanged: ({ clazz_id, leaves }) =>
    leaves.map(({ id, student_id }) => hint('leave', { ids: [id], clazz_id, user_ids: [student_id] })),
  hoursMoved: null,
  accountsMoved: ({ clazz_id, accounts }) =>
    hint('account', { clazz_id, user_ids: accounts.map(({ student_id }) => student_id) }),
  roomChanged: ({ room }) => hint('room', { ids: [room.id] }),
  // Relations follow from classes and enrolments, which have their own hints.
  relationChanged: null,
  memberChanged: ({ members }) => hint('member', { user_ids: members.map(({ user_id }) => user_id) }),
  memberErased: ({ user_id }) => hint('member', { user_ids: [user_id] }),
  // Reads create entries, too. A page that reads again for each hint would never stop.
  audited: null,
  auditRecorded: null,
};

import { type AnyCall, call } from './call.ts';
import { Change, type ChangeKind } from './changes.schema.ts';
import { clazzCalls } from './clazz/clazz.calls.ts';
import { enrolmentCalls } from './clazz/enrolment.calls.ts';
import { hourCalls } from './clazz/hour.calls.ts';
import { leaveCalls } from './clazz/leave.calls.ts';
import { lessonCalls } from './clazz/lesson.calls.ts';
import { memberCalls } from './clazz/member.calls.ts';
import { rollCallCalls } from './clazz/roll-call.calls.ts';
import { roomCalls } from './clazz/room.calls.ts';
import { courseCategoryCalls } from './course/category.calls.ts';
import { courseCalls } from './course/course.calls.ts';
import { courseGroupCalls } from './course/group.calls.ts';
import { dakaCalls, jihuaCalls } from './course/jihua.calls.ts';
import { lianxiCalls } from './course/lianxi.calls.ts';
import { piyueCalls } from './course/piyue.calls.ts';
import { courseSectionCalls } from './course/section.calls.ts';
import { packageCalls } from './package/package.calls.ts';
import { ALL_ROLES, type Role } from './scalars.ts';
import { statsCalls } from './stats/stats.calls.ts';
import type { Rule } from './whose.ts';

/**
 * The stream of changes: server-sent events, each with a `Change` as its data. It is declared as a call for its route,
 * its callers and its documentation. The gateway itself sends the stream, which has no end, so it is not part of
 * `allCalls`.
 */
export const changesCalls = {
  streamChanges: call({
    id: 'gateway.changes.listen',
    http: 'GET /api/v1/changes',
    summary:
      'Stream changes as server-sent events. `change`: a record that the caller may read has changed. `reset`: changes may have been missed. `Last-Event-ID` resumes after an event',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: ['self', 'member', 'offered'] },
    writes: false,
    also: 'text/event-stream',
    output: Change,
  }),
};

/** The calls that read each kind. A caller with access to none of them receives no change of this kind. */
const READ_BY: Readonly<Record<ChangeKind, readonly AnyCall[]>> = {
  lesson: [lessonCalls.getLesson],
  roll_call: [rollCallCalls.getRollCall, statsCalls.getMyLessonStats],
  enrolment: [enrolmentCalls.listEnrolments, clazzCalls.listClazzes],
  leave: [leaveCalls.getLeave],
  account: [hourCalls.getHourAccount],
  clazz: [clazzCalls.getClazz],
  member: [memberCalls.getMember],
  room: [roomCalls.getRoom],
  category: [courseCategoryCalls.listCourseCategories],
  course: [courseCalls.getCourse],
  section: [courseSectionCalls.listCourseSections],
  group: [courseGroupCalls.getCourseGroup],
  practice: [lianxiCalls.getLianxi],
  submission: [lianxiCalls.listSubmissions],
  marking: [piyueCalls.listPiyueQueue],
  plan: [jihuaCalls.getJihua],
  check_in: [dakaCalls.listDaka],
  package: [packageCalls.getPackage],
};

/** The records of a kind that a role may read: all, or those that match any of these rules. */
export const readableBy = (kind: ChangeKind, role: Role): 'all' | readonly Rule[] => {
  const reaches = READ_BY[kind].flatMap(({ whose }) => whose?.[role] ?? []);
  return reaches.includes('all') ? 'all' : reaches.filter((rule) => rule !== 'all');
};

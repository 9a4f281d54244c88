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
 * The open end of an answer: server-sent events, each with a `Change` as its data. A call in what it says of its route, its
 * callers and its document; but gateways answer it themselves and its answer has no end, so it is not one of `allCalls`.
 */
export const changesCalls = {
  streamChanges: call({
    id: 'gateway.changes.listen',
    http: 'GET /api/v1/changes',
    summary:
      'What changes from now on, as server-sent events: `change` says that something changed which the caller may read, `reset` that some of it may have been missed. `Last-Event-ID` goes on after an event',
    who: ALL_ROLES,
    whose: { TEACHER: 'all', STUDENT: ['self', 'member', 'offered'] },
    writes: false,
    also: 'text/event-stream',
    output: Change,
  }),
};

/** By which calls each kind is read: who may read none of it is not told that it changed. */
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

/** What of a kind each role may read: everything, or what is theirs by any of these rules. */
export const readableBy = (kind: ChangeKind, role: Role): 'all' | readonly Rule[] => {
  const reaches = READ_BY[kind].flatMap(({ whose }) => whose?.[role] ?? []);
  return reaches.includes('all') ? 'all' : reaches.filter((rule) => rule !== 'all');
};

import { clazzCalls, clazzEvents, enrolmentCalls, relationCalls } from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

export const CLAZZES: Guide = {
  whatItIs:
    'A class is a set of students with one lead teacher, any number of assistants, and lessons. It can refer to a course and a package, and has an optional capacity. Paths and fields name it `clazz`.',
  lifeCycle:
    'A class goes from `draft` to `active` (activate) to `completed` (complete). A draft or active class can be cancelled; a completed class can be reopened. Completing is refused with 409 `completion_blocked` while a past lesson has no complete roll call or a leave is pending, unless the request has `force` and a reason. A completed or cancelled class accepts no changes (409 `clazz_closed`). Only a draft can be deleted.',
  roles:
    'Supervisors do everything. The lead teacher updates and completes the own classes and sets their assistants; only a supervisor may name another lead teacher. Staff read all classes; students and guardians read the classes that the student is or was in.',
  effects:
    'Completing and cancelling cancel future lessons and end enrolments, relations, leaves and bookings of future lessons. Marks and their charges stay. Reopening restores what completing ended and lists the rest in `not_restored`. A new lead teacher takes over the future lessons of the former one. All changes and reads are in the audit log as `clazz`.',
  events: [
    clazzEvents.clazzChanged,
    clazzEvents.enrolmentChanged,
    clazzEvents.relationChanged,
    clazzEvents.lessonChanged,
    clazzEvents.lessonDeleted,
    clazzEvents.leaveChanged,
    clazzEvents.rollCallsRecorded,
    clazzEvents.accountsMoved,
  ],
  changes: ['clazz', 'enrolment', 'lesson', 'leave', 'roll_call', 'account'],
  example: {
    text: 'Create an active class with two students.',
    call: clazzCalls.createClazz,
    body: {
      name: 'Algebra I',
      lead_teacher_id: 'grace',
      course_id: IDS.course,
      capacity: 8,
      student_ids: ['ada', 'emmy'],
      activate: true,
    },
    response: {
      id: IDS.clazz,
      name: 'Algebra I',
      status: 'active',
      lead_teacher_name: 'Grace Hopper',
      enrolments: [
        { student_id: 'ada', status: 'active' },
        { student_id: 'emmy', status: 'active' },
      ],
    },
  },
};

export const ENROLMENT: Guide = {
  whatItIs:
    'An enrolment is the membership of a student in a class, with the time since when it is valid. It takes one seat of the class.',
  lifeCycle:
    'An enrolment is `active`, or `waiting` if the class has no free seat and the request has `waitlist: true`. Suspending keeps the seat; resuming makes it active again. It ends as `withdrawn`, `transferred` or `completed`. A seat that becomes free goes to the first waiting student whose lessons do not clash, before anyone who asks for it later. If time alone frees it (the lesson of a guest began, a clash is over), this takes at most a minute. A transfer ends one enrolment and creates another in one transaction.',
  roles:
    'Supervisors and the lead teacher of the class make changes; a transfer needs both classes. Staff read enrolments. Students and guardians get 403.',
  effects:
    'Roll calls list active students only. Suspending and ending an enrolment end its leaves and bookings for future lessons; resuming restores them, and `not_restored` names the rest. Marks and their charges stay. With `since` in the past, leaves at lessons already held can change, and with them charges; after the edit window this needs a supervisor and a reason. Changes and reads are in the audit log as `enrolment`, relations as `relation`.',
  events: [
    clazzEvents.enrolmentChanged,
    clazzEvents.relationChanged,
    clazzEvents.leaveChanged,
    clazzEvents.rollCallsRecorded,
    clazzEvents.accountsMoved,
  ],
  changes: ['enrolment', 'leave', 'roll_call', 'account'],
  example: {
    text: 'Enrol a student, or add the student to the waiting list.',
    call: enrolmentCalls.enrolStudents,
    path: { id: IDS.clazz },
    body: { student_ids: ['ada'], waitlist: true },
    response: {
      items: [
        {
          id: IDS.enrolment,
          student_id: 'ada',
          student_name: 'Ada Lovelace',
          status: 'active',
          since: '2026-09-01T08:00:00.000Z',
          until: null,
        },
      ],
    },
  },
};

export const RELATIONS: Guide = {
  whatItIs:
    'A relation says that a teacher teaches a student in a class, as `lead` or `assistant`, with its period. It answers the questions "Who are my students?" and "Who are my teachers?", now or at an earlier time.',
  lifeCycle:
    'Relations cannot be written. Enrolments and changes of the lead teacher or the assistants open and close them.',
  roles:
    'Teachers list their own students; supervisors name a teacher by `teacher_id`. Students list their own teachers, guardians those of a child by `student_id`. Staff name a student.',
  effects: 'A teacher may read the hour accounts of the related students. Reads are in the audit log as `relation`.',
  events: [clazzEvents.relationChanged],
  changes: [],
  example: {
    text: 'List the students of the calling teacher on 1 October.',
    call: relationCalls.listMyStudents,
    query: { at: '2026-10-01T00:00:00Z' },
    response: {
      items: [
        {
          clazz_name: 'Algebra I',
          student_id: 'ada',
          student_name: 'Ada Lovelace',
          role: 'lead',
          since: '2026-09-01T08:00:00.000Z',
          until: null,
        },
      ],
      next_cursor: null,
    },
  },
};

import { calendarCalls, clazzEvents, lessonCalls, seriesCalls, substitutionCalls } from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

export const LESSONS: Guide = {
  whatItIs:
    'A lesson is one scheduled meeting of a class with start, end, zone, teacher, room and the lesson hours that it is worth. Its times must not clash with those of its teacher, room or students (409 `schedule_conflict`).',
  lifeCycle:
    'A lesson is `scheduled`. Its first roll call makes it `held`; cancelling makes it `cancelled`. Restoring puts a cancelled lesson, or a held lesson without marks, back to `scheduled`. Updates and cancellations apply to `this` lesson, the `following` ones of its series, or `all`. They never move a held lesson. For 10 minutes after its creation a lesson that has not begun, and that never had a mark, a leave or a booking, can be removed by DELETE, with the same scopes; otherwise this is 409 `lesson_in_use`. A removed lesson is gone from all answers, from statistics and from calendars. A supervisor may override a clash of teacher or room with a reason, but never a clash of a student.',
  roles:
    'Supervisors and the lead teacher create, update, cancel and remove lessons. Assistants and the teacher of the lesson may only change `topic` and `homework`. Only supervisors restore a lesson or cancel a held one, with a reason. Staff read all lessons. Students and guardians read the lessons of the classes that the student is or was in.',
  effects:
    'Cancelling charges the share of the policy for the side at fault, by default 0, and returns the hours of a held lesson. Make-up bookings at the lesson end and their credits return. Changing the hours of a held lesson corrects its charges. All changes and reads are in the audit log as `lesson`.',
  events: [
    clazzEvents.lessonChanged,
    clazzEvents.lessonDeleted,
    clazzEvents.leaveChanged,
    clazzEvents.rollCallsRecorded,
    clazzEvents.accountsMoved,
  ],
  changes: ['lesson', 'leave', 'roll_call', 'account'],
  example: {
    text: 'Schedule a lesson of one hour.',
    call: lessonCalls.createLesson,
    path: { id: IDS.clazz },
    body: { starts_at: '2026-09-07T07:00:00Z', ends_at: '2026-09-07T08:00:00Z', room: 'A 12' },
    response: {
      id: IDS.lesson,
      clazz_name: 'Algebra I',
      teacher_name: 'Grace Hopper',
      starts_at: '2026-09-07T07:00:00.000Z',
      hours: '1.00',
      room: 'A 12',
      status: 'scheduled',
    },
  },
};

export const SERIES: Guide = {
  whatItIs:
    'A series is a set of lessons that repeat by a recurrence rule (RFC 5545). `start_time` is a local time, so it stays the same across daylight saving. A lesson at a time that a clock change skips begins later by the length of the gap. A date that does not exist in the zone is left out. All lessons are in the years 1970 to 2999.',
  lifeCycle:
    'One call creates all lessons of the series or none; with `skip_conflicts` it omits lessons that clash. Lessons on a holiday of the organization are skipped and do not count towards `count`. The lessons are ordinary lessons with a `series_id`. Change, cancel or, while they are new, remove them with `scope=following` or `scope=all`. A removed date does not return when the series is changed. A new start moves the nominal local time of each lesson as that of the named one moves, and each lesson keeps its length. Moving the series back restores every time. The preview returns all lessons with their clashes and stores nothing.',
  roles: 'Supervisors and the lead teacher of the class preview and create series.',
  effects: 'Nothing is charged. The new lessons are in the audit log as `lesson`. The preview creates no audit entry.',
  events: [clazzEvents.lessonChanged, clazzEvents.lessonDeleted],
  changes: ['lesson'],
  example: {
    text: 'Schedule ten lessons on Mondays and Wednesdays at 09:00.',
    call: seriesCalls.createLessonSeries,
    path: { id: IDS.clazz },
    body: {
      starts_on: '2026-09-07',
      start_time: '09:00',
      duration_minutes: 60,
      zone: 'Europe/Berlin',
      rrule: 'FREQ=WEEKLY;BYDAY=MO,WE',
      count: 10,
    },
    response: {
      series_id: IDS.series,
      items: [{ id: IDS.lesson, series_id: IDS.series, starts_at: '2026-09-07T07:00:00.000Z', status: 'scheduled' }],
      skipped: [],
    },
  },
};

export const SUBSTITUTION: Guide = {
  whatItIs:
    'A substitution gives the scheduled lessons of an absent teacher in a time range to other teachers. The options of a lesson are teachers who are free at its time, those who teach its course first.',
  lifeCycle:
    'A substitution is not stored; it changes the teacher of the lessons. With `with`, one teacher gets all lessons or none (409 `schedule_conflict`). Without it, each lesson gets its best free teacher, and `unassigned` lists lessons without one. `preview: true` changes nothing. A call changes at most 500 lessons.',
  roles: 'Supervisors and teachers list the options of a lesson. Supervisors substitute.',
  effects:
    'Nothing is charged. The substitute may take the roll call of the lesson. Changed lessons, options that were read and previews are in the audit log as `lesson`.',
  events: [clazzEvents.lessonChanged],
  changes: ['lesson'],
  example: {
    text: 'Find free teachers for all lessons of a day.',
    call: substitutionCalls.substituteTeacher,
    body: { teacher_id: 'grace', from: '2026-09-07T00:00:00Z', to: '2026-09-08T00:00:00Z' },
    response: {
      items: [{ id: IDS.lesson, clazz_name: 'Algebra I', teacher_id: 'alan', teacher_name: 'Alan Turing' }],
      unassigned: [],
    },
  },
};

export const CALENDAR: Guide = {
  whatItIs:
    'A calendar feed is a secret URL with the lessons of one person as iCalendar (RFC 5545), for calendar programs. The calendar of a child has the child’s name. It contains the lessons of the last 90 days and the next 730 days, at most 3,000.',
  lifeCycle:
    'A POST creates the URL; an earlier URL of the same person stops working. A GET answers when it was created, but never the URL again. A DELETE revokes it. It also stops working when the person is deactivated or signed out.',
  roles:
    'Each person creates and revokes the own feed; a guardian names a child by `student_id`. Any holder of the URL reads the feed, without a token.',
  effects:
    'A read is in the audit log as `lesson`, unless the feed is unchanged (304). Creating and revoking create no audit entry.',
  events: [],
  changes: [],
  example: {
    text: 'Create the feed of a child.',
    call: calendarCalls.createCalendarFeed,
    body: { student_id: 'ada' },
    response: { url: '/api/v1/clazz/calendar/Zm9yLWV4YW1wbGUtb25seS0.ics' },
  },
};

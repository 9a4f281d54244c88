import { changesCalls, clazzEvents, closureCalls, memberCalls, policyCalls, roomCalls } from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

export const PEOPLE: Guide = {
  whatItIs:
    'A member is a person in the directory of the organization: a student, teacher, guardian or supervisor. `user_id` is the `sub` of the token of the person. The roles of the token give permissions; the roles of the directory do not. By default a person need not be in the directory; the policy `people: listed` requires it.',
  lifeCycle:
    'The bulk call creates and updates people. A member is `active` or `inactive`. Deactivating suspends active enrolments, and the tokens and calendar addresses of the person stop working within 5 seconds; a repeated call returns the current state. Activating gives access again but resumes no enrolment. A member can be deleted while no record refers to the person; otherwise 409 `in_use`. Erasing removes the name and all free texts about the person in all services. Marks, hours and the hash chain of the audit log stay.',
  roles:
    'Supervisors make all changes. Teachers read the whole directory. Students and guardians read their own record without the note, and id, name and role of their teachers and family; other people are 404. Each caller reads `GET /api/v1/me`.',
  effects:
    'Nothing is charged. Deactivating lists the future lessons of a teacher; find a substitute for them. The system sends no e-mail. Changes are in the audit log as `member` and `guardian`, without names. Reading the directory creates no audit entry.',
  events: [
    clazzEvents.memberChanged,
    clazzEvents.memberErased,
    clazzEvents.enrolmentChanged,
    clazzEvents.relationChanged,
    clazzEvents.leaveChanged,
  ],
  changes: ['member', 'enrolment', 'leave'],
  example: {
    text: 'Add a student to the directory.',
    call: memberCalls.putMembers,
    body: { members: [{ user_id: 'ada', role: 'STUDENT', display_name: 'Ada Lovelace', email: 'ada@example.org' }] },
    response: {
      items: [{ user_id: 'ada', role: 'STUDENT', roles: ['STUDENT'], display_name: 'Ada Lovelace', status: 'active' }],
      created: 1,
      updated: 0,
      unchanged: 0,
    },
  },
};

export const POLICY: Guide = {
  whatItIs:
    'The policy is the set of rules of the organization for roll call, leave, charges and balances. It also has the zone in which days begin, the default currency, and the name on receipts. Each organization has one policy.',
  lifeCycle:
    'An organization starts with version 1, which consists of the defaults. A PUT replaces the whole policy and creates the next version; omitted settings get their defaults. A PUT without a change creates no version. Versions never change.',
  roles: 'Supervisors and teachers read the policy. Supervisors replace it.',
  effects:
    'A new policy applies from now on. Earlier charges stay; each charge contains the `policy_version` that applied. The change is in the audit log as `policy`.',
  events: [],
  changes: [],
  example: {
    text: 'Set zone and currency, and require leave requests 48 hours before the lesson.',
    call: policyCalls.putPolicy,
    body: { zone: 'Europe/Berlin', currency: 'EUR', leave: { deadline_hours: 48 } },
    response: {
      zone: 'Europe/Berlin',
      currency: 'EUR',
      leave: { deadline_hours: 48, late: 'accept', approval: 'staff', make_up_credit: true },
      charge: { present: '1.00', leave_in_time: '0.00', leave_late: '0.50' },
      version: 2,
    },
  },
};

export const HOLIDAYS: Guide = {
  whatItIs:
    'A holiday is a day, in the zone of the policy, on which lesson series have no lessons. A lesson is on it if it overlaps that day, in whatever zone the lesson is. A closure cancels the scheduled lessons of a time range, for example after a heating failure.',
  lifeCycle:
    'A PUT replaces the list of holidays. Series that are created later skip these days. Lessons that are already scheduled stay, unless the query has `lessons=cancel`. A closure is not stored. It cancels lessons class by class, each class completely or not at all, and names the classes that failed; repeat the call to retry them. `preview: true` changes nothing. To undo a closure, restore the lessons.',
  roles: 'Supervisors set holidays and create closures. Teachers read holidays.',
  effects:
    'The lessons are cancelled by `org`, or by `teacher` if the closure names a teacher. The effects are those of cancelling a lesson: see Lessons. Holidays are in the audit log as `holiday`, cancelled lessons as `lesson`.',
  events: [
    clazzEvents.lessonChanged,
    clazzEvents.leaveChanged,
    clazzEvents.rollCallsRecorded,
    clazzEvents.accountsMoved,
  ],
  changes: ['lesson', 'leave', 'roll_call', 'account'],
  example: {
    text: 'Cancel all lessons of a day.',
    call: closureCalls.createClosure,
    body: { from: '2026-12-21T00:00:00Z', to: '2026-12-22T00:00:00Z', reason: 'Heating failure' },
    response: {
      items: [{ id: IDS.lesson, clazz_name: 'Algebra I', status: 'cancelled', cancelled_by: 'org' }],
      failed: [],
    },
  },
};

export const ROOMS: Guide = {
  whatItIs:
    'A room is a named place for lessons with an optional capacity. A lesson contains the name of its room as text; a text that differs from the name only in case, width or Unicode form becomes the name. With the policy `rooms: listed` a lesson can only be in a room of this list.',
  lifeCycle:
    'A room can be created, updated and deleted at any time. Its name is unique without regard to case and width (409 `duplicate`). A new name also applies to its lessons that have not ended, unless they overlap lessons that already have this name (409 `schedule_conflict`). Lessons that have not ended and have the name of a new or renamed room in another spelling get its spelling. If a room is deleted, lessons keep its name.',
  roles: 'Supervisors and teachers read rooms and find free rooms. Supervisors create, update and delete them.',
  effects:
    'The capacity limits the seats of the lessons in the room: 409 `room_too_small`. A capacity below what a future lesson needs is refused with the same code, which names these lessons. More capacity, or a deleted room, lets students of the waiting list get a seat. Changes are in the audit log as `room`.',
  events: [clazzEvents.roomChanged, clazzEvents.lessonChanged],
  changes: ['room'],
  example: {
    text: 'Create a room for 12 students.',
    call: roomCalls.createRoom,
    body: { name: 'A 12', capacity: 12 },
    response: { id: IDS.room, name: 'A 12', capacity: 12, note: null, version: 1 },
  },
};

export const CHANGES: Guide = {
  whatItIs:
    'The change stream notifies an open page of changed records as server-sent events. A notice contains the kind, ids, class and people of the records, but no content: read the records again.',
  lifeCycle:
    'The stream begins with the changes from now on. `Last-Event-ID` resumes after an event; the gateway keeps the last 1,000 changes of an organization for at most 5 minutes. `reset` says that changes may have been missed: read all records again. `alive` follows 15 seconds without an event. The stream ends with the token, and within 5 seconds after the person is deactivated or signed out.',
  roles:
    'Each role receives changes of the records that it may read: supervisors of the whole organization, teachers of everything that they may read, students of their own records, their classes and offers, guardians of those of their children. A person may have ten open streams.',
  effects:
    'The stream stores nothing and creates no audit entry. Kinds that you do not know may be added: ignore them.',
  events: [],
  changes: [],
  example: {
    text: 'Open the stream; a supervisor receives a notice after a roll call.',
    call: changesCalls.streamChanges,
    response: { kind: 'roll_call', ids: [IDS.lesson], clazz_id: IDS.clazz, user_ids: ['ada'] },
  },
};

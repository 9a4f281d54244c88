import { auditCalls, refusalCalls, statsCalls } from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

export const STATISTICS: Guide = {
  whatItIs:
    'Statistics are figures of students, teachers, classes and the organization in a range of local days: lessons, marks, attendance, lesson hours, marking and leave. Each rate has its numerator and denominator. `explain` lists the source rows of a figure.',
  lifeCycle:
    'Figures are calculated from the events of the other services, some moments after a change. Send the `x-consistency-token` of a write: the read then waits up to two seconds for it, and `included` says whether the figures contain it. The default range is the current month; a range has at most 400 units.',
  roles:
    'Students read their own figures, guardians those of a child. Teachers read their own work, and lessons and attendance of any student and class. Supervisors read all figures. Hours of a student are `null` for teachers who may not read the account, and `explain` of them is 403.',
  effects: 'Reading changes nothing, and there is no audit entry.',
  events: [],
  changes: [],
  example: {
    text: 'Read the figures of a student in September.',
    call: statsCalls.getMyLessonStats,
    query: { student_id: 'ada', from: '2026-09-01', to: '2026-09-30', zone: 'Europe/Berlin' },
    response: {
      student_id: 'ada',
      totals: { scheduled: 8, held: 6, present: 5, late: 0, absent: 1 },
      hours: { granted: '20.00', consumed: '6.00', remaining: '14.00' },
      attendance: { numerator: 5, denominator: 6, rate: 0.833 },
      included: true,
    },
  },
};

export const AUDIT_LOG: Guide = {
  whatItIs:
    'The audit log records each change and each read of classes, enrolments, lessons, roll calls, leaves, relations and accounts, and changes of people, guardians, policy, holidays and rooms. An entry contains action, record, person, roles, time, request and changed fields.',
  lifeCycle:
    'A request is answered only after its entry is certain. Entries never change and cannot be deleted. Each entry contains the hash of the one before; `verify` recomputes this chain and names the first broken entry. Store a head elsewhere to prove later that no entry was removed. Erasing a person removes texts, which are stored beside the chain, and the chain stays valid. `complete` is false while records are in transit or could not be stored.',
  roles: 'Supervisors read and verify the log of the organization. A lead teacher reads the log of the own classes.',
  effects: 'Reading and verifying the log create no entry. `Accept: text/csv` exports all entries.',
  events: [],
  changes: [],
  example: {
    text: 'List the changes of a lesson.',
    call: auditCalls.listAuditEntries,
    query: { entity: 'lesson', entity_id: IDS.lesson, action: 'create,update' },
    response: {
      items: [
        {
          id: IDS.auditEntry,
          seq: 42,
          action: 'update',
          entity: 'lesson',
          entity_id: IDS.lesson,
          actor_name: 'Grace Hopper',
          changes: { room: { before: null, after: 'A 12' } },
        },
      ],
      next_cursor: null,
      complete: true,
    },
  },
};

export const REFUSALS: Guide = {
  whatItIs:
    'A refusal counts the requests of one person in one minute that were answered with 403, 404 or 429. Use it to find misconfigured clients and attempts to read foreign records.',
  lifeCycle:
    'The gateway stores refusals with a delay of some seconds. They are deleted after 30 days; of each organization at most the newest 10,000 are kept. Erasing a person deletes the refusals of the person.',
  roles: 'Supervisors list refusals.',
  effects: 'Reading creates no audit entry.',
  events: [],
  changes: [],
  example: {
    text: 'List the requests of a person that were forbidden.',
    call: refusalCalls.listRefusals,
    query: { user_id: 'ada', reason: 'forbidden' },
    response: {
      items: [
        {
          id: IDS.refusal,
          user_id: 'ada',
          display_name: 'Ada Lovelace',
          method: 'GET',
          route: '/api/v1/ws/member',
          status: 403,
          reason: 'forbidden',
          count: 3,
        },
      ],
      next_cursor: null,
    },
  },
};

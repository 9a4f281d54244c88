import { clazzEvents, hourCalls, leaveCalls, rollCallCalls } from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

export const ROLL_CALL: Guide = {
  whatItIs:
    'The roll call of a lesson contains one mark for each listed student: `present`, `late`, `absent`, `leave`, `makeup` or `trial`. Active students of the class and students who make up a lesson here are listed. An approved leave presets the mark `leave`.',
  lifeCycle:
    'Roll call opens `lead_minutes` before the lesson (409 `roll_call_too_early` before). The first marks make the lesson `held`. Teachers may mark until the end of the edit window; later only a supervisor may, with a reason (409 `edit_window_over`). A changed mark is a new revision; revisions never change. `mark: null` withdraws a mark, also before roll call opens: the teacher who set it may do so within 10 minutes, without a reason (the lesson is scheduled again when no mark remains but those of approved leave); otherwise only a supervisor may, with a reason (403 for the whole call). The same marks again change nothing. With `revision`, a mark that another person changed meanwhile is 409 `mark_changed`.',
  roles:
    'Supervisors, the lead teacher, the assistants and the teacher of the lesson submit marks. Staff read all roll calls and their history. Teachers list missing roll calls of their own classes and lessons. Students and guardians get 403.',
  effects:
    'Each mark charges a share of the hours of the lesson by the policy; a changed mark reverses the charge and charges again, in the same transaction. Changing the mark `leave` withdraws the make-up credit, changing it back restores it. With `overdraft: forbid`, too few hours refuse the whole call (409 `insufficient_hours`). The statistics contain the marks. Marks and reads are in the audit log as `roll_call`.',
  events: [
    clazzEvents.rollCallsRecorded,
    clazzEvents.lessonChanged,
    clazzEvents.accountsMoved,
    clazzEvents.leaveChanged,
  ],
  changes: ['roll_call', 'lesson', 'account', 'leave'],
  example: {
    text: 'Mark one student present and one student five minutes late.',
    call: rollCallCalls.submitRollCall,
    path: { lesson_id: IDS.lesson },
    body: {
      marks: [
        { student_id: 'ada', mark: 'present' },
        { student_id: 'emmy', mark: 'late', late_minutes: 5 },
      ],
    },
    response: {
      lesson: { id: IDS.lesson, clazz_name: 'Algebra I', status: 'held' },
      marks: [
        { student_id: 'ada', mark: 'present', revision: 1, marked_by: 'grace', charged_hours: '1.00' },
        { student_id: 'emmy', mark: 'late', revision: 1, late_minutes: 5, charged_hours: '1.00' },
      ],
    },
  },
};

export const LEAVE: Guide = {
  whatItIs:
    'A leave excuses one student from one lesson. An approved leave may give a credit for one make-up lesson: a lesson in which the student has no place anyway.',
  lifeCycle:
    'A request for a lesson or a time range creates one leave for each lesson, with status `pending`. It becomes `approved` or `rejected`; with the policy `approval: in_time`, a request in time is approved at once. Until the lesson begins, the decision can be reopened: the leave is `pending` again (409 `make_up_booked` while a make-up is booked, `leave_exists` after a newer request for the lesson). A pending or approved leave can be `cancelled`. `in_time` says whether the request met the deadline; late requests are accepted or refused by the policy (409 `leave_too_late`). A credit is `available`, `used`, `withdrawn` or `expired`. A lesson in which the student has a place as a member, suspended or not, or by a booking is 409 `already_attending`, also if the leave has no credit. A booking can be undone until its lesson begins.',
  roles:
    'Students request, cancel and book for themselves, guardians for a child by `student_id`. Supervisors and the teachers of the class and lesson do so for a student. Supervisors and the lead teacher approve, reject and reopen; every reader of the leave sees their reason as `decision_reason`. Only a supervisor may exceed deadline or quota, with `override_reason`. Staff read all leaves.',
  effects:
    'An approved leave becomes the mark when the lesson is held, and is charged by the policy: by default 0 if in time, half if late. Approving after roll call changes the mark; for `present` and `late` it is 409 `already_attended`, unless a supervisor gives a reason. Cancelling after roll call makes the mark `absent`. Reopening ends the credit and withdraws a mark `leave` of an early roll call; the audit log keeps the reason of the decision. The system sends no message about a decision. Changes and reads are in the audit log as `leave`; a booking is in the logs of both classes.',
  events: [clazzEvents.leaveChanged, clazzEvents.rollCallsRecorded, clazzEvents.accountsMoved],
  changes: ['leave', 'roll_call', 'account'],
  example: {
    text: 'Request leave for a lesson.',
    call: leaveCalls.requestLeave,
    body: { lesson_id: IDS.lesson, reason: 'Dentist' },
    response: {
      items: [
        {
          id: IDS.leave,
          lesson_id: IDS.lesson,
          student_id: 'ada',
          status: 'pending',
          in_time: true,
          reason: 'Dentist',
          make_up: null,
        },
      ],
    },
  },
};

export const HOURS: Guide = {
  whatItIs:
    'Lesson hours are the unit that a student buys and that lessons charge. The account of a student consists of lots (hours of one grant with price and expiry) and a ledger of entries. The balance is the sum of the entries. A grant or refund with a price has a receipt.',
  lifeCycle:
    'A grant creates a lot. Charges draw hours in the order of the policy, by default gifts first, then by earliest expiry, then the oldest lot. The start of the lesson decides which lots are valid, for early and late roll calls alike: a late one takes back what expired since. Entries never change: a correction adds a `reverse` entry. If no lot covers a charge, the balance becomes negative; the next grant settles the debt. Hours expire at the expiry of their lot; each read of an account applies due expiries first. A grant can be undone while all its hours are left (otherwise 409 `in_use`): without a price by a `reverse` entry without a lesson, which lowers `granted`; with a price by a full refund with its receipt. A refund needs a quote and is 409 `quote_stale` if the hours changed since. Receipt numbers begin at 1 in each year and have no gaps.',
  roles:
    'Supervisors grant, undo grants, transfer, adjust and refund, and read all accounts. Teachers read the accounts of students whom they teach. Students read their own account, guardians those of their children. Prices are `null` for students and guardians who may not see them (policy `student_money`, `money` of the guardian). Supervisors, and students and guardians who see prices, read receipts.',
  effects:
    'A grant keeps price and terms of the package version. Roll calls, leaves and cancellations charge and return hours. Movements and reads are in the audit log as `account` and `entry`.',
  events: [clazzEvents.accountsMoved],
  changes: ['account'],
  example: {
    text: 'Sell 20 hours for 400.00 EUR.',
    call: hourCalls.grantHours,
    body: { student_id: 'ada', hours: '20', price_minor: 40_000, currency: 'EUR' },
    response: {
      id: IDS.lot,
      student_id: 'ada',
      kind: 'paid',
      granted: '20.00',
      remaining: '20.00',
      price_minor: 40_000,
      currency: 'EUR',
      expires_at: null,
      balance: '20.00',
    },
  },
};

import { courseEvents, dakaCalls, jihuaCalls, lianxiCalls, piyueCalls } from '@teaching/contracts';
import { IDS } from './example-ids.ts';
import type { Guide } from './guide.ts';

const NOT_AUDITED = 'Nothing is charged, and there is no audit entry.';

export const EXERCISES: Guide = {
  whatItIs:
    'An exercise is a list of questions for a course section, assigned to one class or to students. A submission is one attempt of a student. Paths and fields name an exercise `lianxi`.',
  lifeCycle:
    'Each submission is a new attempt; earlier attempts stay readable. After the first attempt the questions cannot change and the exercise cannot be deleted (409 `in_use`). After `closes_at` no attempt is accepted (409 `practice_closed`), and a student has at most `max_attempts` (409 `attempts_used_up`). An attempt after `due_at` is `late`; an extension gives one student more time and also counts for earlier attempts.',
  roles:
    'Teachers create exercises and change their own; supervisors change all. Staff read all exercises and submissions. Students read and submit the exercises that are assigned to them. Guardians read those of a child but cannot submit. Students see answer keys only after release of a mark, and never with `key: never`.',
  effects: `Choices, true or false, and texts with a key are scored at once. An attempt that needs a person enters the marking queue. With \`release: at_once\`, a fully scored attempt is released at once. ${NOT_AUDITED}`,
  events: [
    courseEvents.lianxiCreated,
    courseEvents.lianxiUpdated,
    courseEvents.lianxiAssigned,
    courseEvents.lianxiExtended,
    courseEvents.lianxiDeleted,
    courseEvents.submissionCreated,
    courseEvents.submissionReleased,
  ],
  changes: ['practice', 'submission'],
  example: {
    text: 'Create an exercise with one question for a class.',
    call: lianxiCalls.createLianxi,
    body: {
      title: 'Week 1',
      course_section_id: IDS.section,
      clazz_id: IDS.clazz,
      due_at: '2026-09-14T20:00:00Z',
      content: {
        questions: [
          { id: 'q1', kind: 'single_choice', prompt: '2 + 2 = ?', options: ['3', '4'], answer_key: '4', points: 1 },
        ],
      },
    },
    response: {
      id: IDS.exercise,
      title: 'Week 1',
      clazz_id: IDS.clazz,
      due_at: '2026-09-14T20:00:00.000Z',
      question_count: 1,
      total_points: '1.00',
      release: 'manual',
    },
  },
};

export const MARKING: Guide = {
  whatItIs:
    'Marking gives a submission a score, points by question, a comment and a rubric. The queue contains the submissions that the caller can mark now. Paths name it `piyue`.',
  lifeCycle:
    'A submission is `submitted`, `marking` while it is claimed, `marked`, then `released`. A claim is exclusive for 30 minutes and can be renewed (409 `claim_held` for other people). Each mark is a revision that stays in the history. After release a new mark needs a reason. Points are at most those of the question and add up to the score, the score is at most that of the exercise; omitted points keep their value.',
  roles:
    'Supervisors and teachers claim, mark and release submissions. The queue of a teacher contains attempts at the own exercises, or at the exercise named by `lianxi_id`; that of a supervisor contains all. Submissions that another person has claimed are omitted. Students see a mark after release.',
  effects: `Releasing shows the mark to the student and guardians. Statistics count markings and their time. ${NOT_AUDITED}`,
  events: [
    courseEvents.submissionClaimed,
    courseEvents.submissionMarked,
    courseEvents.machineMarkChanged,
    courseEvents.submissionReleased,
  ],
  changes: ['marking', 'submission'],
  example: {
    text: 'Mark a submission after claiming it.',
    call: piyueCalls.markSubmission,
    path: { submission_id: IDS.submission },
    body: { score: '7.5', points: { q1: '4', q2: '3.5' }, comment: 'Well done' },
    response: {
      id: IDS.submission,
      lianxi_title: 'Week 1',
      student_name: 'Ada Lovelace',
      status: 'marked',
      score: '7.50',
      points: { q1: '4.00', q2: '3.50' },
      revision: 1,
      marked_by: 'grace',
    },
  },
};

export const PLANS: Guide = {
  whatItIs:
    'A plan says on which local days students practise and with which tasks. The planned days follow from start, end, weekdays or a recurrence rule, without frozen days. Paths and fields name it `jihua`.',
  lifeCycle:
    'Students named at creation belong to the plan from its first day, later ones from `since`. After the first check-in, start, zone, weekdays and rule cannot change and the plan cannot be deleted (409 `in_use`). If an ended plan is extended, the days between are frozen, so no student has missed them. A plan lasts at most 1,830 days.',
  roles:
    'Teachers create plans and change their own; supervisors change all. Staff read all plans. Students read the plans that they belong to, guardians those of a child.',
  effects: `Students of the plan can check in on its days. ${NOT_AUDITED}`,
  events: [
    courseEvents.jihuaCreated,
    courseEvents.jihuaUpdated,
    courseEvents.jihuaDeleted,
    courseEvents.jihuaStudentsPut,
  ],
  changes: ['plan'],
  example: {
    text: 'Create a plan for weekdays in September with one student.',
    call: jihuaCalls.createJihua,
    body: {
      title: 'Read every day',
      starts_on: '2026-09-07',
      ends_on: '2026-09-30',
      zone: 'Europe/Berlin',
      weekdays: [1, 2, 3, 4, 5],
      items: ['Read ten pages'],
      student_ids: ['ada'],
    },
    response: {
      id: IDS.plan,
      title: 'Read every day',
      weekdays: [1, 2, 3, 4, 5],
      items: [{ title: 'Read ten pages' }],
      backfill_days: 2,
      students: [{ student_id: 'ada', since: '2026-09-07' }],
    },
  },
};

export const CHECK_INS: Guide = {
  whatItIs:
    'A check-in says that a student did the tasks of a plan on one local day. The streak counts consecutive planned days with a check-in. Paths name it `daka`.',
  lifeCycle:
    'A check-in is created for today, or for an earlier day within `backfill_days` (409 `backfill_closed` otherwise). A second check-in on the same day updates the first and answers 200. Its day never changes.',
  roles:
    'Students check in for themselves; staff name the student. Students read their own check-ins and streaks, guardians those of a child, staff all. Guardians cannot check in.',
  effects: `The streak and its rate change at once. Today without a check-in does not end a streak. ${NOT_AUDITED}`,
  events: [courseEvents.dakaRecorded],
  changes: ['check_in'],
  example: {
    text: 'Check in for today.',
    call: dakaCalls.putDaka,
    body: { jihua_id: IDS.plan, content: 'Pages 1 to 10' },
    response: {
      id: IDS.checkIn,
      jihua_title: 'Read every day',
      student_id: 'ada',
      local_date: '2026-09-07',
      content: 'Pages 1 to 10',
      backfilled: false,
      version: 1,
    },
  },
};

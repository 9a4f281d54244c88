import { type Lesson, LessonFields, type Mark } from '@teaching/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import {
  type CascadeTrigger,
  type CurrentMark,
  deriveSeat,
  type SeatInstruction,
  isRefusable,
  type LeaveState,
  type SeatOutcome,
  type Seat,
} from './cascade.rules.ts';

const AT = '2026-03-02T10:00:00.000Z';
const context = { policy: DEFAULT_POLICY, actor_id: 'li', now: AT };
const lesson = (status: Lesson['status'], fields: Partial<Lesson> = {}): Lesson => ({
  ...LessonFields.withDefaults({ starts_at: AT, ends_at: AT, hours: '1.50' }, { teacher_id: 'li', zone: 'UTC' }),
  id: 'lesson',
  org_id: 'org',
  clazz_id: 'clazz',
  series_id: null,
  status,
  cancelled_by: status === 'cancelled' ? 'org' : null,
  cancel_reason: null,
  reason_public: false,
  version: 1,
  created_at: AT,
  updated_at: AT,
  ...fields,
});
const CREDIT = {
  status: 'available',
  expires_at: AT,
  lesson_id: null,
  ended_lesson_id: null,
  ended_at: null,
  is_marked: false,
} as const;
const leave = (status: LeaveState['status'], fields: Partial<LeaveState> = {}): LeaveState => ({
  id: 'leave',
  clazz_id: 'clazz',
  lesson_id: 'lesson',
  student_id: 'ann',
  status,
  in_time: true,
  reason: 'ill',
  requested_by: 'ann',
  requested_at: AT,
  called_at: null,
  called_by: null,
  override_reason: null,
  decided_by: null,
  decided_at: null,
  decision_reason: null,
  cancelled_by: null,
  cancelled_at: null,
  policy_version: 1,
  version: 1,
  ended_from: null,
  ended_enrolment_id: null,
  credit: status === 'approved' ? CREDIT : null,
  ...fields,
});
const marked = (mark: Mark | null, charged: number, fields: Partial<CurrentMark> = {}): CurrentMark => ({
  mark,
  revision: 1,
  note: null,
  late_minutes: null,
  charge_rule: mark === 'leave' ? 'leave_in_time' : mark,
  lesson_hours: '1.50',
  charged_hours: charged,
  policy_version: 1,
  marked_by: 'li',
  marked_at: AT,
  ...fields,
});
const seat = (fields: Partial<Seat> = {}): Seat => ({
  student_id: 'ann',
  enrolled: true,
  guest: false,
  mark: null,
  leave: null,
  ...fields,
});
const markOf = ({ mark }: SeatOutcome) => mark && [mark.mark, mark.revision, mark.charged_hours];

describe('The mark of a student at a lesson', () => {
  it.each<[string, Lesson, Seat, SeatInstruction | undefined, ReturnType<typeof markOf>]>([
    ['is stored by the first roll call', lesson('held'), seat(), { mark: 'present' }, ['present', 1, 150]],
    [
      'does not change when it is submitted again',
      lesson('held'),
      seat({ mark: marked('present', 150) }),
      { mark: 'present' },
      null,
    ],
    [
      'gets a new revision when it differs',
      lesson('held'),
      seat({ mark: marked('present', 150) }),
      { mark: 'trial' },
      ['trial', 2, 0],
    ],
    [
      'does not change when the roll call omits the student',
      lesson('held'),
      seat({ mark: marked('present', 150) }),
      undefined,
      null,
    ],
    ['stays empty when the roll call omits the student', lesson('held'), seat(), undefined, null],
    [
      'is leave when the roll call omits a student on approved leave',
      lesson('held'),
      seat({ leave: leave('approved') }),
      undefined,
      ['leave', 1, 0],
    ],
    [
      'stays empty when the roll call omits a student with pending leave',
      lesson('held'),
      seat({ leave: leave('pending') }),
      undefined,
      null,
    ],
    [
      'is charged as leave in time',
      lesson('held'),
      seat({ leave: leave('approved') }),
      { mark: 'leave' },
      ['leave', 1, 0],
    ],
    [
      'is charged as late leave',
      lesson('held'),
      seat({ leave: leave('approved', { in_time: false }) }),
      { mark: 'leave' },
      ['leave', 1, 75],
    ],
    ['is charged as late leave without an approved leave', lesson('held'), seat(), { mark: 'leave' }, ['leave', 1, 75]],
    [
      'gets a new revision when only its note changes',
      lesson('held'),
      seat({ mark: marked('late', 150) }),
      { mark: 'late', note: 'bus' },
      ['late', 2, 150],
    ],
    [
      'is withdrawn when the lesson is cancelled',
      lesson('cancelled'),
      seat({ mark: marked('late', 150) }),
      undefined,
      [null, 2, 0],
    ],
    ['stays empty when the lesson is cancelled', lesson('cancelled'), seat(), undefined, null],
    [
      'stays when the student has left the class',
      lesson('held'),
      seat({ enrolled: false, mark: marked('late', 150) }),
      undefined,
      null,
    ],
    [
      'can be corrected after the student has left the class',
      lesson('held'),
      seat({ enrolled: false, mark: marked('late', 150) }),
      { mark: 'trial' },
      ['trial', 2, 0],
    ],
    [
      'is withdrawn by a null mark',
      lesson('held'),
      seat({ mark: marked('present', 150) }),
      { mark: null },
      [null, 2, 0],
    ],
    ['stays empty when it is withdrawn without having been set', lesson('held'), seat(), { mark: null }, null],
    [
      'becomes leave when it is withdrawn from a student on approved leave',
      lesson('held'),
      seat({ mark: marked('present', 150), leave: leave('approved') }),
      { mark: null },
      ['leave', 2, 0],
    ],
    [
      'is withdrawn from a student who has left, and the leave ends',
      lesson('held'),
      seat({ enrolled: false, mark: marked('leave', 0), leave: leave('approved') }),
      { mark: null },
      [null, 2, 0],
    ],
    [
      'stays empty when an unmarked student has left the class',
      lesson('held'),
      seat({ enrolled: false }),
      undefined,
      null,
    ],
    [
      'is stored for a guest',
      lesson('held'),
      seat({ enrolled: false, guest: true }),
      { mark: 'makeup' },
      ['makeup', 1, 150],
    ],
    [
      'is charged again when the hours of the lesson change',
      lesson('held', { hours: '2.00' }),
      seat({ mark: marked('late', 150) }),
      undefined,
      ['late', 2, 200],
    ],
  ])('%s', (_what, it, currentSeat, instruction, expected) => {
    expect(markOf(deriveSeat(it, currentSeat, instruction, context))).toEqual(expected);
  });

  it('keeps its charge and policy version when only the note changes under a new policy', () => {
    const policy = { ...DEFAULT_POLICY, version: 2, charge: { ...DEFAULT_POLICY.charge, late: '0.10' } };
    const before = seat({ mark: marked('late', 150) });
    const { mark } = deriveSeat(lesson('held'), before, { mark: 'late', note: 'bus' }, { ...context, policy });
    expect(mark).toMatchObject({ charged_hours: 150, policy_version: 1, moves: false });
    const corrected = deriveSeat(
      lesson('held'),
      seat({ mark: marked('absent', 150) }),
      { mark: 'late' },
      { ...context, policy },
    );
    expect(corrected.mark).toMatchObject({ charged_hours: 15, policy_version: 2, moves: true });
  });

  it.each([
    ['teacher', '0.20', 30],
    ['org', '0.40', 60],
  ] as const)('is charged by fault when the %s cancels the lesson', (cancelled_by, share, expected) => {
    const charge = { ...DEFAULT_POLICY.charge, [`cancelled_by_${cancelled_by}`]: share };
    const policy = { ...DEFAULT_POLICY, charge };
    const it = lesson('cancelled', { cancelled_by });
    expect(markOf(deriveSeat(it, seat(), undefined, { ...context, policy }))).toEqual([null, 1, expected]);
    expect(markOf(deriveSeat(it, seat({ leave: leave('approved') }), undefined, { ...context, policy }))).toBe(null);
    const ended = leave('cancelled', { ended_from: 'approved' });
    expect(markOf(deriveSeat(it, seat({ leave: ended }), undefined, { ...context, policy }))).toBe(null);
    const endedByLeaving = seat({ leave: { ...ended, ended_enrolment_id: 'e' } });
    expect(markOf(deriveSeat(it, endedByLeaving, undefined, { ...context, policy }))).toEqual([null, 1, expected]);
  });
});

describe('A leave with its make-up credit', () => {
  const facts = ({ leave: it }: SeatOutcome) => it && [it.status, it.ended_from, it.credit?.status];
  const used = { ...CREDIT, status: 'used' as const, lesson_id: 'other' };
  it.each<[string, Lesson, Seat, SeatInstruction | undefined, ReturnType<typeof facts>]>([
    ['stays when nothing changes', lesson('scheduled'), seat({ leave: leave('approved') }), undefined, null],
    [
      'ends when its lesson is cancelled',
      lesson('cancelled'),
      seat({ leave: leave('approved') }),
      undefined,
      ['cancelled', 'approved', 'withdrawn'],
    ],
    [
      'ends when the student leaves the class',
      lesson('scheduled'),
      seat({ enrolled: false, leave: leave('pending') }),
      undefined,
      ['cancelled', 'pending', undefined],
    ],
    [
      'is restored when the student belongs to the class again',
      lesson('scheduled'),
      seat({ leave: leave('cancelled', { ended_from: 'approved', credit: { ...CREDIT, status: 'withdrawn' } }) }),
      undefined,
      ['approved', null, 'available'],
    ],
    [
      'stays ended when its lesson is moved into an ended membership',
      lesson('scheduled'),
      seat({ leave: leave('cancelled', { ended_from: 'approved', ended_enrolment_id: 'e' }) }),
      undefined,
      null,
    ],
    [
      'stays ended when the student is marked at a lesson that was moved into an ended membership',
      lesson('held'),
      seat({
        mark: marked('present', 150),
        leave: leave('cancelled', { ended_from: 'approved', ended_enrolment_id: 'e' }),
      }),
      undefined,
      null,
    ],
    [
      'stays when the membership ended after the student was marked',
      lesson('held'),
      seat({ mark: marked('leave', 0), leave: leave('approved', { ended_enrolment_id: 'e' }) }),
      undefined,
      null,
    ],
    [
      'stays while it is open, also if an instance of 0.2.0 resumed the membership and did not remove its end',
      lesson('scheduled'),
      seat({ leave: leave('approved', { ended_enrolment_id: 'e' }) }),
      undefined,
      null,
    ],
    [
      'loses its credit when the student is marked present',
      lesson('held'),
      seat({ leave: leave('approved') }),
      { mark: 'present' },
      ['approved', null, 'withdrawn'],
    ],
    [
      'releases its booking when the make-up lesson has no mark yet',
      lesson('held'),
      seat({ leave: leave('approved', { credit: used }) }),
      { mark: 'present' },
      ['approved', null, 'withdrawn'],
    ],
    [
      'keeps its booking when the make-up lesson has a mark',
      lesson('held'),
      seat({ leave: leave('approved', { credit: { ...used, is_marked: true } }) }),
      { mark: 'present' },
      null,
    ],
    [
      'takes the status of a decision',
      lesson('scheduled'),
      seat({ leave: leave('pending') }),
      { leave: leave('approved') },
      ['approved', null, 'available'],
    ],
  ])('%s', (_what, it, currentSeat, instruction, expected) => {
    expect(facts(deriveSeat(it, currentSeat, instruction, context))).toEqual(expected);
  });
});

it('deriving the same seat twice changes nothing', () => {
  const marks = fc.constantFrom<Mark>('present', 'late', 'absent', 'leave', 'makeup', 'trial');
  const cases = fc.record({
    status: fc.constantFrom('scheduled', 'held', 'cancelled'),
    enrolled: fc.boolean(),
    guest: fc.boolean(),
    mark: fc.option(marks.map((mark) => marked(mark, 150))),
    leave: fc.option(fc.constantFrom(leave('pending'), leave('approved'), leave('approved', { in_time: false }))),
    said: fc.option(marks),
  });
  fc.assert(
    fc.property(cases, ({ status, said, ...before }) => {
      const instruction = said === null || status !== 'held' ? undefined : { mark: said };
      const first = deriveSeat(lesson(status), seat(before), instruction, context);
      const after = { ...seat(before), mark: first.mark ?? before.mark, leave: first.leave ?? before.leave };
      expect(deriveSeat(lesson(status), after, instruction, context)).toEqual({ mark: null, leave: null });
    }),
  );
});

it.each<[CascadeTrigger, boolean]>([
  ['roll call', true],
  ['leave decided', true],
  ['lesson changed', true],
  ['lesson cancelled', false],
  ['enrolment dated back', true],
  ['enrolment changed', false],
])('whether too few hours refuse a cascade caused by "%s": %s', (trigger, expected) => {
  expect(isRefusable(trigger)).toBe(expected);
});

import { type Lesson, LessonFields, type Mark } from '@teaching/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import {
  type CascadeReason,
  type CurrentMark,
  deriveSeat,
  type Instruction,
  isRefusable,
  type LeaveState,
  type Outcome,
  type Seat,
} from './cascade.rules.ts';

const AT = '2026-03-02T10:00:00.000Z';
const act = { policy: DEFAULT_POLICY, actor_id: 'li', now: AT };
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
  cancelled_by: null,
  cancelled_at: null,
  policy_version: 1,
  version: 1,
  ended_from: null,
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
const markOf = ({ mark }: Outcome) => mark && [mark.mark, mark.revision, mark.charged_hours];

describe('a mark', () => {
  it.each<[string, Lesson, Seat, Instruction | undefined, ReturnType<typeof markOf>]>([
    ['first roll call', lesson('held'), seat(), { mark: 'present' }, ['present', 1, 150]],
    ['the same again', lesson('held'), seat({ mark: marked('present', 150) }), { mark: 'present' }, null],
    ['another mark', lesson('held'), seat({ mark: marked('present', 150) }), { mark: 'trial' }, ['trial', 2, 0]],
    ['not named', lesson('held'), seat({ mark: marked('present', 150) }), undefined, null],
    ['not named, never marked', lesson('held'), seat(), undefined, null],
    ['not named, on approved leave', lesson('held'), seat({ leave: leave('approved') }), undefined, ['leave', 1, 0]],
    ['not named, leave pending', lesson('held'), seat({ leave: leave('pending') }), undefined, null],
    ['leave in time', lesson('held'), seat({ leave: leave('approved') }), { mark: 'leave' }, ['leave', 1, 0]],
    [
      'late leave',
      lesson('held'),
      seat({ leave: leave('approved', { in_time: false }) }),
      { mark: 'leave' },
      ['leave', 1, 75],
    ],
    ['leave that nobody approved', lesson('held'), seat(), { mark: 'leave' }, ['leave', 1, 75]],
    [
      'only a note',
      lesson('held'),
      seat({ mark: marked('late', 150) }),
      { mark: 'late', note: 'bus' },
      ['late', 2, 150],
    ],
    ['the lesson cancelled', lesson('cancelled'), seat({ mark: marked('late', 150) }), undefined, [null, 2, 0]],
    ['cancelled, never marked', lesson('cancelled'), seat(), undefined, null],
    ['left, marked before', lesson('held'), seat({ enrolled: false, mark: marked('late', 150) }), undefined, null],
    [
      'left, corrected',
      lesson('held'),
      seat({ enrolled: false, mark: marked('late', 150) }),
      { mark: 'trial' },
      ['trial', 2, 0],
    ],
    ['withdrawn', lesson('held'), seat({ mark: marked('present', 150) }), { mark: null }, [null, 2, 0]],
    ['withdrawn, never marked', lesson('held'), seat(), { mark: null }, null],
    [
      'withdrawn, on approved leave',
      lesson('held'),
      seat({ mark: marked('present', 150), leave: leave('approved') }),
      { mark: null },
      ['leave', 2, 0],
    ],
    [
      'withdrawn after having left, which ends the leave as well',
      lesson('held'),
      seat({ enrolled: false, mark: marked('leave', 0), leave: leave('approved') }),
      { mark: null },
      [null, 2, 0],
    ],
    ['left, never marked', lesson('held'), seat({ enrolled: false }), undefined, null],
    ['a guest', lesson('held'), seat({ enrolled: false, guest: true }), { mark: 'makeup' }, ['makeup', 1, 150]],
    [
      'other hours',
      lesson('held', { hours: '2.00' }),
      seat({ mark: marked('late', 150) }),
      undefined,
      ['late', 2, 200],
    ],
  ])('%s', (_what, it, who, instruction, expected) => {
    expect(markOf(deriveSeat(it, who, instruction, act))).toEqual(expected);
  });

  it('keeps its charge and policy version when only its note changes under a new policy', () => {
    const policy = { ...DEFAULT_POLICY, version: 2, charge: { ...DEFAULT_POLICY.charge, late: '0.10' } };
    const before = seat({ mark: marked('late', 150) });
    const { mark } = deriveSeat(lesson('held'), before, { mark: 'late', note: 'bus' }, { ...act, policy });
    expect(mark).toMatchObject({ charged_hours: 150, policy_version: 1, moves: false });
    const corrected = deriveSeat(
      lesson('held'),
      seat({ mark: marked('absent', 150) }),
      { mark: 'late' },
      { ...act, policy },
    );
    expect(corrected.mark).toMatchObject({ charged_hours: 15, policy_version: 2, moves: true });
  });

  it.each([
    ['teacher', '0.20', 30],
    ['org', '0.40', 60],
  ] as const)('costs by fault when the %s cancels', (cancelled_by, share, expected) => {
    const charge = { ...DEFAULT_POLICY.charge, [`cancelled_by_${cancelled_by}`]: share };
    const policy = { ...DEFAULT_POLICY, charge };
    const it = lesson('cancelled', { cancelled_by });
    expect(markOf(deriveSeat(it, seat(), undefined, { ...act, policy }))).toEqual([null, 1, expected]);
    expect(markOf(deriveSeat(it, seat({ leave: leave('approved') }), undefined, { ...act, policy }))).toBe(null);
  });
});

describe('leave and its credit', () => {
  const facts = ({ leave: it }: Outcome) => it && [it.status, it.ended_from, it.credit?.status];
  const used = { ...CREDIT, status: 'used' as const, lesson_id: 'other' };
  it.each<[string, Lesson, Seat, Instruction | undefined, ReturnType<typeof facts>]>([
    ['stays', lesson('scheduled'), seat({ leave: leave('approved') }), undefined, null],
    [
      'ends with the lesson',
      lesson('cancelled'),
      seat({ leave: leave('approved') }),
      undefined,
      ['cancelled', 'approved', 'withdrawn'],
    ],
    [
      'ends with the place',
      lesson('scheduled'),
      seat({ enrolled: false, leave: leave('pending') }),
      undefined,
      ['cancelled', 'pending', undefined],
    ],
    [
      'comes back',
      lesson('scheduled'),
      seat({ leave: leave('cancelled', { ended_from: 'approved', credit: { ...CREDIT, status: 'withdrawn' } }) }),
      undefined,
      ['approved', null, 'available'],
    ],
    [
      'is void when the student came',
      lesson('held'),
      seat({ leave: leave('approved') }),
      { mark: 'present' },
      ['approved', null, 'withdrawn'],
    ],
    [
      'frees the make-up lesson that was not held',
      lesson('held'),
      seat({ leave: leave('approved', { credit: used }) }),
      { mark: 'present' },
      ['approved', null, 'withdrawn'],
    ],
    [
      'keeps the make-up lesson that was held',
      lesson('held'),
      seat({ leave: leave('approved', { credit: { ...used, is_marked: true } }) }),
      { mark: 'present' },
      null,
    ],
    [
      'is decided',
      lesson('scheduled'),
      seat({ leave: leave('pending') }),
      { leave: leave('approved') },
      ['approved', null, 'available'],
    ],
  ])('%s', (_what, it, who, instruction, expected) => {
    expect(facts(deriveSeat(it, who, instruction, act))).toEqual(expected);
  });
});

it('deriving twice changes nothing', () => {
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
      const first = deriveSeat(lesson(status), seat(before), instruction, act);
      const after = { ...seat(before), mark: first.mark ?? before.mark, leave: first.leave ?? before.leave };
      expect(deriveSeat(lesson(status), after, instruction, act)).toEqual({ mark: null, leave: null });
    }),
  );
});

it.each<[CascadeReason, boolean]>([
  ['roll call', true],
  ['leave decided', true],
  ['lesson changed', true],
  ['lesson cancelled', false],
  ['enrolment dated back', true],
  ['enrolment changed', false],
])('too few hours refuse what follows from a %s: %s', (because, expected) => {
  expect(isRefusable(because)).toBe(expected);
});

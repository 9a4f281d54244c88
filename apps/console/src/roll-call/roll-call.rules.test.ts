import type { Mark } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { savedStudent } from '../../test/saved-student.ts';
import { EMPTY_QUEUE, type Queue, queueMarks, nextToSend, acknowledgeRefused } from './queue/queue.rules.ts';
import {
  rowActionOf,
  allExcused,
  allPresent,
  isMarkedByLeave,
  phaseOf,
  type Row,
  rowsOf,
  newMark,
  totalsOf,
  withAnswer,
} from './roll-call.rules.ts';

const leave = (status: 'pending' | 'approved') => ({ status, in_time: true, reason: 'ill', decision_reason: null });
const rows = (marks: Row['saved'][], queue: Queue = EMPTY_QUEUE) => rowsOf({ marks }, queue);
const texts = (list: { student_id: string; mark: Mark | null }[]) =>
  list.map(({ student_id, mark }) => `${student_id} ${mark}`);

it('counts as set by leave only the mark `leave` of approved leave', () => {
  const marked = (mark: Mark, status: 'pending' | 'approved') =>
    isMarkedByLeave(savedStudent('cid', mark, { leave: leave(status) }));
  expect([marked('leave', 'approved'), marked('leave', 'pending'), marked('present', 'approved')]).toEqual([
    true,
    false,
    false,
  ]);
});

describe('Marking all students present', () => {
  it('skips students with a mark, approved leave or requested leave, and marks guests as made up', () => {
    const all = rows([
      savedStudent('ann'),
      savedStudent('bob', 'absent'),
      savedStudent('cid', 'leave', { leave: leave('approved') }),
      savedStudent('dan', null, { leave: leave('pending') }),
      savedStudent('eve', null, { make_up: true }),
      savedStudent('fay', 'trial'),
      savedStudent('gus', 'makeup', { make_up: true }),
    ]);
    expect(texts(allPresent(all, null))).toEqual(['ann present', 'eve makeup']);
  });
  it('offers to save excused students only if there is no other student', () => {
    const excused = savedStudent('cid', 'leave', { revision: 0, leave: leave('approved') });
    expect(texts(allExcused(rows([excused]), null))).toEqual(['cid leave']);
    expect(allExcused(rows([excused, savedStudent('ann')]), null)).toEqual([]);
    expect(allExcused(rows([{ ...excused, revision: 1 }]), null)).toEqual([]);
  });
  it('skips students with a queued or refused mark', () => {
    const ann = rows([savedStudent('ann')])[0] as Row;
    const waiting = queueMarks(EMPTY_QUEUE, [newMark(ann, 'late', null)]);
    expect(allPresent(rows([savedStudent('ann')], waiting), null)).toEqual([]);
    const refused = acknowledgeRefused(
      nextToSend(waiting, () => 'key'),
      'key',
      'mark_changed',
      null,
    );
    expect(allPresent(rows([savedStudent('ann')], refused), null)).toEqual([]);
  });
});

describe('A row of the sheet', () => {
  it('shows the queued mark and keeps the saved one', () => {
    const [ann] = rows([savedStudent('ann', 'present', { revision: 3 })]) as [Row];
    const queue = queueMarks(EMPTY_QUEUE, [newMark(ann, 'late', null, { late_minutes: 10 })]);
    const [shown] = rows([savedStudent('ann', 'absent', { revision: 4 })], queue) as [Row];
    expect(shown).toMatchObject({ mark: 'late', late_minutes: 10, progress: 'waiting' });
    expect(shown.saved.mark).toBe('absent');
    expect(queue.waiting[0]?.revision).toBe(3);
  });
  it('clears the late minutes of a student who is not late, and keeps the note', () => {
    const [ann] = rows([savedStudent('ann', 'late', { late_minutes: 5, note: 'bus' })]) as [Row];
    expect(newMark(ann, 'present', null)).toMatchObject({ late_minutes: null, note: 'bus' });
    expect(newMark(ann, 'late', null)).toMatchObject({ late_minutes: 5 });
    expect(newMark(ann, 'late', null, { late_minutes: null })).toMatchObject({ late_minutes: null });
  });
});

it('counts make-up and trial students as present', () => {
  const all = rows([
    savedStudent('a', 'makeup'),
    savedStudent('b', 'trial'),
    savedStudent('c', 'present'),
    savedStudent('d'),
    savedStudent('e', 'leave'),
  ]);
  expect(totalsOf(all)).toEqual({ present: 3, late: 0, absent: 0, leave: 1, unmarked: 1 });
});

it('keeps fields that a write does not return', () => {
  const {
    leave: _leave,
    hours_left: _hours,
    attended: _attended,
    ...answered
  } = savedStudent('ann', 'late', { revision: 2 });
  const lesson = { status: 'held' } as Parameters<typeof withAnswer>[0]['lesson'];
  const roll = { lesson, marks: [savedStudent('ann')], opens_at: '', closes_at: '' };
  expect(withAnswer(roll, { lesson, marks: [answered] }).marks).toMatchObject([
    { mark: 'late', revision: 2, hours_left: '4.00' },
  ]);
});

it.each([
  ['2026-11-23T08:44:59Z', 'early'],
  ['2026-11-23T08:45:00Z', 'open'],
  ['2026-11-30T10:00:00Z', 'open'],
  ['2026-11-30T10:00:01Z', 'closed'],
])('gives a roll call at %s the phase %s', (now, phase) => {
  const lesson = { status: 'scheduled' } as Parameters<typeof phaseOf>[0]['lesson'];
  const roll = { lesson, opens_at: '2026-11-23T08:45:00Z', closes_at: '2026-11-30T10:00:00Z' };
  const office = { user_id: 'office', isOffice: true, now: Date.parse(now) };
  expect(phaseOf(roll, office)).toBe(phase);
  expect(phaseOf({ ...roll, lesson: { ...lesson, status: 'cancelled' } }, office)).toBe('cancelled');
});

it.each([
  ['li', 'open'],
  ['wu', 'open'],
  ['kim', 'open'],
  ['zoe', 'of_others'],
])(
  'gives the teacher %s of a roll call of li, with the lead wu and the assistant kim, the phase %s',
  (user_id, phase) => {
    const lesson = { status: 'scheduled', teacher_id: 'li' } as Parameters<typeof phaseOf>[0]['lesson'];
    const clazz = { lead_teacher_id: 'wu', lead_teacher_name: 'Wu', assistant_ids: ['kim'] };
    const roll = { lesson, clazz, opens_at: '2026-11-23T08:45:00Z', closes_at: '2026-11-30T10:00:00Z' };
    const now = Date.parse('2026-11-24T09:00:00Z');
    expect(phaseOf(roll, { user_id, isOffice: false, now })).toBe(phase);
    expect(phaseOf(roll, { user_id, isOffice: true, now })).toBe('open');
  },
);

it.each([
  ['P', { mark: 'present' }],
  ['e', { mark: 'leave' }],
  ['ArrowDown', { move: 1 }],
  ['k', { move: -1 }],
  ['n', 'note'],
  ['U', 'undo'],
  ['x', undefined],
  ['Enter', undefined],
])('maps the key %s to its action', (key, action) => expect(rowActionOf(key)).toEqual(action));

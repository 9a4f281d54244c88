import type { Mark } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { EMPTY_QUEUE, type Queue, queueMarks, nextToSend, acknowledgeRefused } from './queue/queue.rules.ts';
import {
  rowActionOf,
  allPresent,
  phaseOf,
  type Row,
  rowsOf,
  newMark,
  totalsOf,
  withAnswer,
} from './roll-call.rules.ts';

const student = (student_id: string, mark: Mark | null = null, more: Partial<Row['saved']> = {}): Row['saved'] => ({
  student_id,
  student_name: student_id,
  mark,
  revision: mark === null ? 0 : 1,
  marked_by: null,
  marked_by_name: null,
  marked_at: null,
  charged_hours: '0.00',
  note: null,
  late_minutes: null,
  make_up: false,
  leave: null,
  hours_left: '4.00',
  attended: { present: 3, of: 4 },
  ...more,
});
const leave = (status: 'pending' | 'approved') => ({ status, in_time: true, reason: 'ill', decision_reason: null });
const rows = (marks: Row['saved'][], queue: Queue = EMPTY_QUEUE) => rowsOf({ marks }, queue);
const texts = (list: { student_id: string; mark: Mark }[]) =>
  list.map(({ student_id, mark }) => `${student_id} ${mark}`);

describe('Marking all students present', () => {
  it('skips students with a mark, approved leave or requested leave, and marks guests as made up', () => {
    const all = rows([
      student('ann'),
      student('bob', 'absent'),
      student('cid', 'leave', { leave: leave('approved') }),
      student('dan', null, { leave: leave('pending') }),
      student('eve', null, { make_up: true }),
      student('fay', 'trial'),
      student('gus', 'makeup', { make_up: true }),
    ]);
    expect(texts(allPresent(all, null))).toEqual(['ann present', 'eve makeup']);
  });
  it('skips students with a queued or refused mark', () => {
    const ann = rows([student('ann')])[0] as Row;
    const waiting = queueMarks(EMPTY_QUEUE, [newMark(ann, 'late', null)]);
    expect(allPresent(rows([student('ann')], waiting), null)).toEqual([]);
    const refused = acknowledgeRefused(
      nextToSend(waiting, () => 'key'),
      'key',
      'mark_changed',
      null,
    );
    expect(allPresent(rows([student('ann')], refused), null)).toEqual([]);
  });
});

describe('A row of the sheet', () => {
  it('shows the queued mark and keeps the saved one', () => {
    const [ann] = rows([student('ann', 'present', { revision: 3 })]) as [Row];
    const queue = queueMarks(EMPTY_QUEUE, [newMark(ann, 'late', null, { late_minutes: 10 })]);
    const [shown] = rows([student('ann', 'absent', { revision: 4 })], queue) as [Row];
    expect(shown).toMatchObject({ mark: 'late', late_minutes: 10, progress: 'waiting' });
    expect(shown.saved.mark).toBe('absent');
    expect(queue.waiting[0]?.revision).toBe(3);
  });
  it('clears the late minutes of a student who is not late, and keeps the note', () => {
    const [ann] = rows([student('ann', 'late', { late_minutes: 5, note: 'bus' })]) as [Row];
    expect(newMark(ann, 'present', null)).toMatchObject({ late_minutes: null, note: 'bus' });
    expect(newMark(ann, 'late', null)).toMatchObject({ late_minutes: 5 });
    expect(newMark(ann, 'late', null, { late_minutes: null })).toMatchObject({ late_minutes: null });
  });
});

it('counts make-up and trial students as present', () => {
  const all = rows([
    student('a', 'makeup'),
    student('b', 'trial'),
    student('c', 'present'),
    student('d'),
    student('e', 'leave'),
  ]);
  expect(totalsOf(all)).toEqual({ present: 3, late: 0, absent: 0, leave: 1, unmarked: 1 });
});

it('keeps fields that a write does not return', () => {
  const {
    leave: _leave,
    hours_left: _hours,
    attended: _attended,
    ...answered
  } = student('ann', 'late', { revision: 2 });
  const lesson = { status: 'held' } as Parameters<typeof withAnswer>[0]['lesson'];
  const roll = { lesson, marks: [student('ann')], opens_at: '', closes_at: '' };
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
  expect(phaseOf(roll, Date.parse(now))).toBe(phase);
  expect(phaseOf({ ...roll, lesson: { ...lesson, status: 'cancelled' } }, Date.parse(now))).toBe('cancelled');
});

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

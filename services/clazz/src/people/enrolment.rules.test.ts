import { type Enrolment, ENROLMENT_STATUSES } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { applyStep, freeSeats, periodChanges, allocateSeats, type EnrolmentStep } from './enrolment.rules.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const enrolment = (status: Enrolment['status']): Enrolment => ({
  id: 'e',
  clazz_id: 'c',
  student_id: 's',
  status,
  since: '2029-01-01T00:00:00.000Z',
  until: null,
});

describe('Rules of an enrolment', () => {
  const allowed: Record<EnrolmentStep, Partial<Record<Enrolment['status'], Enrolment['status']>>> = {
    suspend: { active: 'suspended' },
    resume: { suspended: 'active' },
    withdraw: { waiting: 'withdrawn', active: 'withdrawn', suspended: 'withdrawn' },
    transfer: { active: 'transferred', suspended: 'transferred' },
  };
  const cases = (Object.keys(allowed) as EnrolmentStep[]).flatMap((step) =>
    ENROLMENT_STATUSES.map((status) => [step, status, allowed[step][status]] as const),
  );
  it.each(cases)('the step %s of an enrolment that is %s gives: %s', (step, status, to) => {
    let after: Enrolment | undefined;
    try {
      after = applyStep(enrolment(status), step, NOW);
    } catch {}
    const ended = to === 'withdrawn' || to === 'transferred';
    expect([after?.status, after?.until]).toEqual([to, to && (ended ? NOW.toISOString() : null)]);
  });

  it('opens a period when it becomes active, from its beginning or its resumption, and closes it when it ends', () => {
    const change = (before: Enrolment['status'] | null, after: Enrolment['status']) =>
      periodChanges([{ before: before && enrolment(before), after: enrolment(after) }], NOW);
    expect(change(null, 'active').open[0]?.from).toBe('2029-01-01T00:00:00.000Z');
    expect(change('waiting', 'active').open[0]?.from).toBe('2029-01-01T00:00:00.000Z');
    expect(change('suspended', 'active').open[0]?.from).toBe(NOW.toISOString());
    expect(change('active', 'suspended')).toEqual({ open: [], close: ['e'] });
    expect(change('suspended', 'withdrawn')).toEqual({ open: [], close: [] });
    expect(change('waiting', 'withdrawn')).toEqual({ open: [], close: [] });
  });
});

describe('Seats of a class', () => {
  it('are unlimited without a capacity and never negative', () => {
    expect(freeSeats(null, 1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(freeSeats(2, 3)).toBe(0);
  });

  it('are given in order, and further students wait only with a waiting list', () => {
    expect(allocateSeats(['a', 'b', 'c'], { clazz: 2, rooms: 3 }, true)).toEqual({
      placed: ['a', 'b'],
      waiting: ['c'],
    });
    expect(allocateSeats(['a'], { clazz: Number.POSITIVE_INFINITY, rooms: 1 }, false)).toEqual({
      placed: ['a'],
      waiting: [],
    });
    expect(allocateSeats(['a', 'b'], { clazz: 2, rooms: 1 }, true)).toEqual({ placed: ['a'], waiting: ['b'] });
    expect(refusalOf(() => allocateSeats(['a', 'b'], { clazz: 1, rooms: 1 }, false))).toBe('clazz_full');
    expect(refusalOf(() => allocateSeats(['a', 'b'], { clazz: 2, rooms: 1 }, false))).toBe('room_too_small');
  });
});

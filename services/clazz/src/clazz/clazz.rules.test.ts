import { CLAZZ_STATUSES, ClazzFields } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { checkAssistants, checkDays, type Transition, requireTransition } from './clazz.rules.ts';

describe('Rules of a class', () => {
  const allowed: Record<Transition, readonly string[]> = {
    activate: ['draft'],
    complete: ['active'],
    reopen: ['completed'],
    cancel: ['draft', 'active'],
    delete: ['draft'],
  };
  const cases = (Object.keys(allowed) as Transition[]).flatMap((transition) =>
    CLAZZ_STATUSES.map(
      (status) => [transition, status, allowed[transition].includes(status) ? 'fine' : 'invalid_transition'] as const,
    ),
  );
  it.each(cases)('the transition %s of a class that is %s: %s', (transition, status, expected) => {
    expect(refusalOf(() => requireTransition(status, transition))).toBe(expected);
  });

  const current = {
    name: 'A',
    course_id: null,
    course_package_id: null,
    lead_teacher_id: 't',
    capacity: 3,
    zone: 'Asia/Shanghai',
    starts_on: '2030-01-01',
    ends_on: null,
  };
  it('keeps fields that a patch omits, and resets fields that it sets to null', () => {
    const patched = ClazzFields.applyPatch(current, { capacity: null, zone: null }, {});
    expect(patched).toEqual({ ...current, capacity: null, zone: 'UTC' });
    expect(ClazzFields.applyPatch(current, {}, {})).toEqual(current);
  });

  it.each([
    ['2030-01-01', '2030-01-01', 'fine'],
    ['2030-01-01', null, 'fine'],
    [null, '2030-01-01', 'fine'],
    ['2030-02-01', '2030-01-01', 'invalid_request'],
  ])('a class from %s to %s: %s', (starts_on, ends_on, expected) => {
    expect(refusalOf(() => checkDays({ starts_on, ends_on }))).toBe(expected);
  });

  it('refuses the lead teacher as an assistant', () => {
    expect(refusalOf(() => checkAssistants('lead', ['a', 'b']))).toBe('fine');
    expect(refusalOf(() => checkAssistants('lead', ['lead']))).toBe('invalid_request');
  });
});

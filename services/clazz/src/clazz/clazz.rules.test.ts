import { CLAZZ_STATUSES, Problem } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { applyPatch, checkAssistants, DEFAULTS, type Move, requireMove, requireOpen } from './clazz.rules.ts';

const code = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Problem ? error.code : 'unexpected';
  }
  return 'fine';
};

describe('a class', () => {
  const allowed: Record<Move, readonly string[]> = {
    activate: ['draft'],
    complete: ['active'],
    reopen: ['completed'],
    cancel: ['draft', 'active'],
    delete: ['draft'],
  };
  const cases = (Object.keys(allowed) as Move[]).flatMap((move) =>
    CLAZZ_STATUSES.map(
      (status) => [move, status, allowed[move].includes(status) ? 'fine' : 'invalid_transition'] as const,
    ),
  );
  it.each(cases)('%s while %s', (move, status, expected) => {
    expect(code(() => requireMove(status, move))).toBe(expected);
  });

  it.each([
    ['draft', 'fine'],
    ['active', 'fine'],
    ['completed', 'clazz_closed'],
    ['cancelled', 'clazz_closed'],
  ] as const)('accepts changes of people and schedule while %s: %s', (status, expected) => {
    expect(code(() => requireOpen({ status }))).toBe(expected);
  });

  it('keeps what a patch leaves out and clears what it sets to null', () => {
    const current = { ...DEFAULTS, name: 'A', lead_teacher_id: 't', capacity: 3, zone: 'Asia/Shanghai' };
    expect(applyPatch(current, { capacity: null, zone: null })).toEqual({ ...current, capacity: null, zone: 'UTC' });
    expect(applyPatch(current, {})).toEqual(current);
    expect(code(() => applyPatch(current, { starts_on: '2030-02-01', ends_on: '2030-01-01' }))).toBe('invalid_request');
  });

  it('has assistants who are not the lead and not there twice', () => {
    expect(code(() => checkAssistants('lead', ['a', 'b']))).toBe('fine');
    expect(code(() => checkAssistants('lead', ['lead']))).toBe('invalid_request');
    expect(code(() => checkAssistants('lead', ['a', 'a']))).toBe('invalid_request');
  });
});

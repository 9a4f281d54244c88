import type { Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/test/caller.ts';
import { refusalOf } from '../../../../tools/test/refusal-of.ts';
import { askedStudents, requireManager, requireOpen } from './access.rules.ts';

describe('a class', () => {
  it.each([
    ['draft', 'fine'],
    ['active', 'fine'],
    ['completed', 'clazz_closed'],
    ['cancelled', 'clazz_closed'],
  ] as const)('accepts changes of people and schedule while %s: %s', (status, expected) => {
    expect(refusalOf(() => requireOpen({ status }))).toBe(expected);
  });

  it.each([
    ['SUPERVISOR', 'anybody', 'fine'],
    ['TEACHER', 'lead', 'fine'],
    ['TEACHER', 'another', 'forbidden'],
    ['STUDENT', 'lead', 'forbidden'],
  ] as const)('is managed by a %s who is %s: %s', (role: Role, user_id, expected) => {
    const who = caller(user_id, role);
    expect(refusalOf(() => requireManager(who, { lead_teacher_id: 'lead' }))).toBe(expected);
  });
});

describe('a list', () => {
  it.each([
    ['TEACHER', undefined, undefined],
    ['TEACHER', ['ann', 'ben'], ['ann', 'ben']],
    ['STUDENT', undefined, ['me']],
    ['STUDENT', ['me'], ['me']],
  ] as const)('for a %s who asks for %j is of %j', (role, asked, shown) => {
    expect(askedStudents(caller('me', role), asked)).toEqual(shown);
  });

  it('shows students nobody else, not even beside themselves', () => {
    for (const asked of [['ann'], ['me', 'ann']]) {
      expect(refusalOf(() => askedStudents(caller('me', 'STUDENT'), asked))).toBe('forbidden');
    }
  });
});

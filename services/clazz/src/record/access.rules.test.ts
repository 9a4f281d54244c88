import { Problem, type Role } from '@teaching/contracts';
import { describe, expect, it } from 'vitest';
import { requireManager, requireOpen } from './access.rules.ts';

const code = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Problem ? error.code : 'unexpected';
  }
  return 'fine';
};

describe('a class', () => {
  it.each([
    ['draft', 'fine'],
    ['active', 'fine'],
    ['completed', 'clazz_closed'],
    ['cancelled', 'clazz_closed'],
  ] as const)('accepts changes of people and schedule while %s: %s', (status, expected) => {
    expect(code(() => requireOpen({ status }))).toBe(expected);
  });

  it.each([
    ['SUPERVISOR', 'anybody', 'fine'],
    ['TEACHER', 'lead', 'fine'],
    ['TEACHER', 'another', 'forbidden'],
    ['STUDENT', 'lead', 'forbidden'],
  ] as const)('is managed by a %s who is %s: %s', (role: Role, user_id, expected) => {
    const caller = { org_id: 'o', user_id, roles: [role], request_id: 'r', ip: undefined };
    expect(code(() => requireManager(caller, { lead_teacher_id: 'lead' }))).toBe(expected);
  });
});

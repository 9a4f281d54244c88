import { describe, expect, it } from 'vitest';
import { allCalls } from './registry.ts';
import { ALL_ROLES, STAFF } from './scalars.ts';
import { accessByRole, ACCESS_RULES } from './access-rules.ts';

describe('The access of each role of a call', () => {
  it('is everything for supervisors, and for guardians the access of the child', () => {
    expect(accessByRole('a.b.c', ALL_ROLES, { TEACHER: ['lead', 'owner'], STUDENT: 'self' })).toEqual({
      SUPERVISOR: 'all',
      TEACHER: ['lead', 'owner'],
      STUDENT: ['self'],
      GUARDIAN: ['self'],
    });
    expect(accessByRole('a.b.c', ['SUPERVISOR'], undefined)).toEqual({ SUPERVISOR: 'all' });
  });

  it('can be one rule for all roles, including supervisors', () => {
    expect(accessByRole('a.b.c', STAFF, 'self')).toEqual({ SUPERVISOR: ['self'], TEACHER: ['self'] });
    expect(accessByRole('a.b.c', STAFF, 'all')).toEqual({ SUPERVISOR: 'all', TEACHER: 'all' });
  });

  it('must be declared for each role', () => {
    expect(() => accessByRole('a.b.c', ALL_ROLES, { TEACHER: 'all' })).toThrow('no access rule for the role STUDENT');
    expect(() => accessByRole('a.b.c', STAFF, undefined)).toThrow('no access rule for the role TEACHER');
  });
});

it('uses each access rule in a call, and gives students unlimited access in none', () => {
  const limited = allCalls.flatMap(({ access }) => Object.values(access ?? {}).flat());
  expect(Object.keys(ACCESS_RULES).filter((rule) => !limited.includes(rule as keyof typeof ACCESS_RULES))).toEqual([]);
  expect(allCalls.flatMap(({ id, access }) => (access?.STUDENT === 'all' ? [id] : []))).toEqual([]);
});

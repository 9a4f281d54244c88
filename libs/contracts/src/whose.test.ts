import { describe, expect, it } from 'vitest';
import { allCalls } from './registry.ts';
import { ALL_ROLES, STAFF } from './scalars.ts';
import { reachesOf, RULES } from './whose.ts';

describe('The access of each role of a call', () => {
  it('is everything for supervisors, and for guardians the access of the child', () => {
    expect(reachesOf('a.b.c', ALL_ROLES, { TEACHER: ['lead', 'owner'], STUDENT: 'self' })).toEqual({
      SUPERVISOR: 'all',
      TEACHER: ['lead', 'owner'],
      STUDENT: ['self'],
      GUARDIAN: ['self'],
    });
    expect(reachesOf('a.b.c', ['SUPERVISOR'], undefined)).toEqual({ SUPERVISOR: 'all' });
  });

  it('can be one rule for all roles, including supervisors', () => {
    expect(reachesOf('a.b.c', STAFF, 'self')).toEqual({ SUPERVISOR: ['self'], TEACHER: ['self'] });
    expect(reachesOf('a.b.c', STAFF, 'all')).toEqual({ SUPERVISOR: 'all', TEACHER: 'all' });
  });

  it('must be declared for each role', () => {
    expect(() => reachesOf('a.b.c', ALL_ROLES, { TEACHER: 'all' })).toThrow('no access rule for the role STUDENT');
    expect(() => reachesOf('a.b.c', STAFF, undefined)).toThrow('no access rule for the role TEACHER');
  });
});

it('uses each access rule in a call, and gives students unlimited access in none', () => {
  const limited = allCalls.flatMap(({ whose }) => Object.values(whose ?? {}).flat());
  expect(Object.keys(RULES).filter((rule) => !limited.includes(rule as keyof typeof RULES))).toEqual([]);
  expect(allCalls.flatMap(({ id, whose }) => (whose?.STUDENT === 'all' ? [id] : []))).toEqual([]);
});

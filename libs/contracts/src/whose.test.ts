import { describe, expect, it } from 'vitest';
import { allCalls } from './registry.ts';
import { ALL_ROLES, STAFF } from './scalars.ts';
import { reachesOf, RULES } from './whose.ts';

describe('what each role reaches', () => {
  it('is everything for supervisors, and for guardians what their child does', () => {
    expect(reachesOf('a.b.c', ALL_ROLES, { TEACHER: ['lead', 'owner'], STUDENT: 'self' })).toEqual({
      SUPERVISOR: 'all',
      TEACHER: ['lead', 'owner'],
      STUDENT: ['self'],
      GUARDIAN: ['self'],
    });
    expect(reachesOf('a.b.c', ['SUPERVISOR'], undefined)).toEqual({ SUPERVISOR: 'all' });
  });

  it('may be the same for all, supervisors among them', () => {
    expect(reachesOf('a.b.c', STAFF, 'self')).toEqual({ SUPERVISOR: ['self'], TEACHER: ['self'] });
    expect(reachesOf('a.b.c', STAFF, 'all')).toEqual({ SUPERVISOR: 'all', TEACHER: 'all' });
  });

  it('has to be said of each', () => {
    expect(() => reachesOf('a.b.c', ALL_ROLES, { TEACHER: 'all' })).toThrow('whose things a STUDENT reaches');
    expect(() => reachesOf('a.b.c', STAFF, undefined)).toThrow('whose things a TEACHER reaches');
  });
});

it('every rule is some call’s, and students reach everything of no call', () => {
  const limited = allCalls.flatMap(({ whose }) => Object.values(whose ?? {}).flat());
  expect(Object.keys(RULES).filter((rule) => !limited.includes(rule as keyof typeof RULES))).toEqual([]);
  expect(allCalls.flatMap(({ id, whose }) => (whose?.STUDENT === 'all' ? [id] : []))).toEqual([]);
});

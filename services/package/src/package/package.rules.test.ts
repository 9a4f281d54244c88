import { describe, expect, it } from 'vitest';
import { applyPatch, maySee, ownerOf, requireOwner, requireUnpublished } from './package.rules.ts';

const caller = (user_id: string, ...roles: ('SUPERVISOR' | 'TEACHER' | 'STUDENT')[]) => ({
  org_id: 'o',
  user_id,
  roles,
  request_id: 'r',
  ip: undefined,
});
const AT = '2026-01-01T00:00:00.000Z';

describe('who may', () => {
  it.each([
    ['a teacher sees a draft', caller('t', 'TEACHER'), { active: false, published_at: null }, true],
    ['a student does not see a draft', caller('s', 'STUDENT'), { active: true, published_at: null }, false],
    [
      'a student does not see what is no longer active',
      caller('s', 'STUDENT'),
      { active: false, published_at: AT },
      false,
    ],
    ['a student sees what is on sale', caller('s', 'STUDENT'), { active: true, published_at: AT }, true],
  ])('%s', (_case, who, it, seen) => expect(maySee(who, it)).toBe(seen));

  it.each([
    ['the owner', caller('t', 'TEACHER'), true],
    ['another teacher', caller('u', 'TEACHER'), false],
    ['a supervisor', caller('b', 'SUPERVISOR'), true],
  ])('change: %s', (_case, who, allowed) => {
    const change = () => requireOwner(who, { teacher_id: 't' });
    if (allowed) expect(change).not.toThrow();
    else expect(change).toThrow(/owning teacher/);
  });

  it('name another owner: supervisors only', () => {
    expect(ownerOf(caller('t', 'TEACHER'), undefined)).toBe('t');
    expect(ownerOf(caller('b', 'SUPERVISOR'), 't')).toBe('t');
    expect(() => ownerOf(caller('t', 'TEACHER'), 'u')).toThrow(/supervisor/);
  });
});

describe('a package', () => {
  it('is locked while published', () => {
    expect(() => requireUnpublished({ published_at: AT })).toThrow('package_published');
    expect(() => requireUnpublished({ published_at: null })).not.toThrow();
  });

  it('keeps what a patch leaves out, and clears what it sets to null', () => {
    const before = {
      title: 'T',
      description: 'D',
      category_id: 'c',
      price_minor: 5,
      currency: 'EUR',
      total_hours: '2.00',
      validity_days: 3,
      active: true,
    };
    expect(applyPatch(before, { title: 'U' })).toEqual({ ...before, title: 'U' });
    expect(
      applyPatch(before, { description: null, category_id: null, validity_days: null, price_minor: null }),
    ).toEqual({
      ...before,
      description: '',
      category_id: null,
      validity_days: null,
      price_minor: 0,
    });
  });
});

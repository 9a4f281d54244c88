import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/test/caller.ts';
import { maySee, requireComplete, requireUnpublished } from './package.rules.ts';

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
});

describe('a package', () => {
  it('is locked while published', () => {
    expect(() => requireUnpublished({ published_at: AT })).toThrow('package_published');
    expect(() => requireUnpublished({ published_at: null })).not.toThrow();
  });

  it('needs hours if it has a price', () => {
    expect(() => requireComplete({ price_minor: 1, total_hours: '0.00' })).toThrow('package_incomplete');
    expect(() => requireComplete({ price_minor: 1, total_hours: '0.01' })).not.toThrow();
    expect(() => requireComplete({ price_minor: 0, total_hours: '0.00' })).not.toThrow();
  });
});

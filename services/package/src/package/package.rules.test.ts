import { describe, expect, it } from 'vitest';
import { isOnSale, requireComplete, requireUnpublished } from './package.rules.ts';

const AT = '2026-01-01T00:00:00.000Z';

describe('A package that students may read', () => {
  it.each([
    ['is not a draft', { active: true, published_at: null }, false],
    ['is not inactive', { active: false, published_at: AT }, false],
    ['is published and active', { active: true, published_at: AT }, true],
  ])('%s', (_case, row, expected) => expect(isOnSale(row)).toBe(expected));
});

describe('A package', () => {
  it('cannot be changed while it is published', () => {
    expect(() => requireUnpublished({ published_at: AT })).toThrow('package_published');
    expect(() => requireUnpublished({ published_at: null })).not.toThrow();
  });

  it('needs hours if it has a price', () => {
    expect(() => requireComplete({ price_minor: 1, total_hours: '0.00' })).toThrow('package_incomplete');
    expect(() => requireComplete({ price_minor: 1, total_hours: '0.01' })).not.toThrow();
    expect(() => requireComplete({ price_minor: 0, total_hours: '0.00' })).not.toThrow();
  });
});

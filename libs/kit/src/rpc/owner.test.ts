import { describe, expect, it } from 'vitest';
import { caller } from '../../../../tools/test/caller.ts';
import { ownerOf, requireOwner } from './owner.ts';

describe('the owner of a record', () => {
  it.each([
    ['its owner', caller('t', 'TEACHER'), true],
    ['another teacher', caller('u', 'TEACHER'), false],
    ['a supervisor', caller('b', 'SUPERVISOR'), true],
  ])('may change it: %s', (_case, who, allowed) => {
    const change = () => requireOwner(who, 't');
    if (allowed) expect(change).not.toThrow();
    else expect(change).toThrow(/owner or a supervisor/);
  });

  it('is who creates it, or whom a supervisor names', () => {
    expect(ownerOf(caller('t', 'TEACHER'), undefined)).toBe('t');
    expect(ownerOf(caller('t', 'TEACHER'), 't')).toBe('t');
    expect(ownerOf(caller('b', 'SUPERVISOR'), 't')).toBe('t');
    expect(() => ownerOf(caller('t', 'TEACHER'), 'u')).toThrow(/supervisor/);
  });
});

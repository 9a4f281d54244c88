import { describe, expect, it } from 'vitest';
import { assignTeachers } from './substitution.rules.ts';

const lesson = (id: string, from: number, to: number) => ({
  id,
  starts_at: `2026-03-02T${from}:00:00.000Z`,
  ends_at: `2026-03-02T${to}:00:00.000Z`,
});

describe('Lessons of an absent teacher', () => {
  it('are assigned to the best option each, and adjacent lessons may have the same teacher', () => {
    const lessons = [lesson('a', 10, 11), lesson('b', 11, 12)];
    const options = new Map([
      ['a', ['ann', 'bob']],
      ['b', ['ann', 'bob']],
    ]);
    expect([...assignTeachers(lessons, options)]).toEqual([
      ['a', 'ann'],
      ['b', 'ann'],
    ]);
  });

  it('at the same time are assigned to different teachers, and a lesson without a free teacher is left out', () => {
    const lessons = [lesson('a', 10, 12), lesson('b', 11, 13), lesson('c', 11, 12), lesson('d', 12, 13)];
    const options = new Map([
      ['a', ['ann', 'bob']],
      ['b', ['ann', 'bob']],
      ['c', ['bob', 'ann']],
      ['d', ['ann']],
    ]);
    expect(Object.fromEntries(assignTeachers(lessons, options))).toEqual({ a: 'ann', b: 'bob', d: 'ann' });
  });
});

import { describe, expect, it } from 'vitest';
import { lessonOfSeries, type LessonOfSeries } from '../../test/lesson-of-series.ts';
import { editLessons } from './edit.rules.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const CLAZZ = { lead_teacher_id: 'lead', zone: 'UTC' };
const lesson = (id: string, starts_at: string, fields: Partial<LessonOfSeries> = {}): LessonOfSeries => {
  const ends_at = new Date(Date.parse(starts_at) + 3_600_000).toISOString();
  return lessonOfSeries({ id, starts_at, ends_at, zone: 'Europe/Berlin', ...fields });
};
const ofSeries = (...others: LessonOfSeries[]) => ({ others, series_time: null });
const winter = lesson('winter', '2030-03-30T17:00:00.000Z');
const summer = lesson('summer', '2030-03-31T16:00:00.000Z');
const times = (edits: ReturnType<typeof editLessons>) =>
  edits.map(({ after }) => [after.id, after.starts_at, after.ends_at]);

describe('An edit of a series', () => {
  it('shifts each lesson by the same difference in local time', () => {
    // 18:00 → 19:30 in Berlin: one lesson before and one after the clock change.
    const edits = editLessons(winter, ofSeries(summer), { starts_at: '2030-03-30T18:30:00.000Z' }, CLAZZ, NOW);
    expect(times(edits)).toEqual([
      ['winter', '2030-03-30T18:30:00.000Z', '2030-03-30T19:30:00.000Z'],
      ['summer', '2030-03-31T17:30:00.000Z', '2030-03-31T18:30:00.000Z'],
    ]);
    expect(edits.every((edit) => edit.moved && edit.after.version === 2)).toBe(true);
  });

  it('keeps the local time when a lesson moves to the day of a clock change', () => {
    const edits = editLessons(winter, ofSeries(), { starts_at: '2030-03-31T16:00:00.000Z' }, CLAZZ, NOW);
    expect(times(edits)).toEqual([['winter', '2030-03-31T16:00:00.000Z', '2030-03-31T17:00:00.000Z']]);
  });

  it('contains only changed lessons, and null resets a field to that of the class', () => {
    const other = lesson('other', '2030-04-01T16:00:00.000Z', { teacher_id: 'guest', room: 'A' });
    const edits = editLessons(winter, ofSeries(other), { teacher_id: null, room: null }, CLAZZ, NOW);
    expect(edits.map(({ after, moved }) => [after.id, after.teacher_id, after.room, moved])).toEqual([
      ['other', 'lead', null, false],
    ]);
  });

  it.each([
    ['to move a held lesson', { status: 'held' as const }, { starts_at: '2030-03-30T18:00:00.000Z' }],
    ['to change a cancelled lesson', { status: 'cancelled' as const }, { room: 'B' }],
  ])('refuses %s', (_name, fields, edit) => {
    expect(() => editLessons({ ...winter, ...fields }, ofSeries(), edit, CLAZZ, NOW)).toThrow(/cannot be/);
  });

  it('may change the room of a held lesson', () => {
    expect(editLessons({ ...winter, status: 'held' }, ofSeries(), { room: 'B' }, CLAZZ, NOW)).toHaveLength(1);
  });

  it('refuses lessons that would overlap or end before they start', () => {
    const next = lesson('next', '2030-03-30T18:00:00.000Z');
    expect(() => editLessons(winter, ofSeries(next), { ends_at: '2030-03-30T18:30:00.000Z' }, CLAZZ, NOW)).toThrow(
      'invalid_request',
    );
    expect(() => editLessons(winter, ofSeries(), { ends_at: '2030-03-30T16:00:00.000Z' }, CLAZZ, NOW)).toThrow(
      'invalid_request',
    );
  });
});

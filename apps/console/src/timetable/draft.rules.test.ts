import { describe, expect, it } from 'vitest';
import { shownLesson } from '../../test/shown-lesson.ts';
import { changesOf, draftOf, newDraft, ruleOf, timesOf, withRepeat } from './draft.rules.ts';

const MADRID = 'Europe/Madrid';
const lesson = {
  ...shownLesson('l', '2026-10-24T15:00:00Z'),
  ends_at: '2026-10-24T16:15:00Z',
  room: 'Lab',
};

describe('The draft of a lesson', () => {
  it('starts with the fields of the lesson, without changes to send', () => {
    const draft = draftOf(lesson, lesson, MADRID);
    expect(draft).toMatchObject({ date: '2026-10-24', time: '17:00', minutes: 75, room: 'Lab', texts: { topic: '' } });
    expect(changesOf(draft, lesson, MADRID)).toEqual({});
    expect(changesOf({ ...draft, hours: '1' }, lesson, MADRID)).toEqual({});
  });

  it('sends the changed fields, with the time in the zone on the new date', () => {
    const draft = { ...draftOf(lesson, lesson, MADRID), date: '2026-10-25', room: null, texts: { topic: ' Roots ' } };
    expect(changesOf(draft, lesson, MADRID)).toEqual({
      starts_at: '2026-10-25T16:00:00.000Z',
      ends_at: '2026-10-25T17:15:00.000Z',
      room: null,
      topic: 'Roots',
    });
  });

  it.each([{ date: '' }, { time: '' }, { minutes: 0 }, { minutes: 1_441 }, { minutes: Number.NaN }])(
    'returns no times for %o',
    (part) => {
      expect(timesOf({ ...newDraft('2026-11-23', '09:00'), ...part }, MADRID)).toBeUndefined();
    },
  );

  it('repeats on the weekday of its date, and sorts several weekdays', () => {
    expect(withRepeat(newDraft('2026-11-25', '09:00'), true).weekdays).toEqual([3]);
    expect(ruleOf([5, 1, 3])).toBe('FREQ=WEEKLY;BYDAY=MO,WE,FR');
  });
});

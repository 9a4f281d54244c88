import { describe, expect, it } from 'vitest';
import { addDays } from '../../../libs/kit/src/base/time.ts';
import { aboutOf } from './student-notes.ts';
import { drawnLeaveOf, changeOf, markOf, drawnRollCallOf } from './random-draws.rules.ts';
import { CLAZZES, ROOMS, type SchoolClazz } from './clazzes.ts';
import { ageOn, changesClocks, localOf, weekdayOf } from './days.rules.ts';
import { grantsOf, lessonKey, standingOf, usedHours } from './hours.rules.ts';
import { guardians, people, personOf, students, teachers, ties } from './people.ts';
import { PAUSES, TRIALS } from './special-students.ts';
import { closedDays, endOn, isOfSlot, plannedLessons, termAround, zoneFor } from './term.rules.ts';

const LENGTH = { weeks_back: 8, weeks_ahead: 8 };
const TODAY = '2026-11-23';
const term = termAround(TODAY, LENGTH);
const closed = closedDays(term);
const lessons = plannedLessons(CLAZZES, term, closed);

describe('The people of the demo school', () => {
  it('are sixty students, seven teachers, the office and guardians, each with an id of their own', () => {
    expect([students.length, teachers.length, guardians.length]).toEqual([60, 7, 21]);
    expect(new Set(people.map(({ user_id }) => user_id)).size).toBe(people.length);
    for (const { user_id, display_name } of people) {
      expect(user_id).toMatch(/^[a-z]+-[a-z]+$/);
      expect(display_name).toMatch(/\p{Script=Han}/u);
    }
  });

  it('have a guardian if they are minors, and some guardians have two children', () => {
    const young = students.filter(({ birthday }) => birthday !== null && ageOn(TODAY, birthday) < 18);
    expect(young.map(({ user_id }) => user_id).toSorted()).toEqual(ties.map(({ student_id }) => student_id).toSorted());
    for (const { guardian_id } of ties) expect(personOf(guardian_id).role).toBe('GUARDIAN');
    expect(ties.filter(({ guardian_id }) => guardian_id === 'wei-lin')).toHaveLength(2);
  });

  it('have a description of their task', () => {
    expect(aboutOf(personOf('carmen-vega'), TODAY)).toBe('teaches Spanish A1 intensive and Spanish B1 conversation');
    expect(aboutOf(personOf('wei-lin'), TODAY)).toBe('father of Yue Lin 林悦 and An Lin 林安');
    expect(aboutOf(personOf('an-lin'), TODAY)).toMatch(/^10 years, child of Wei Lin 林伟 · /);
    expect(aboutOf(personOf('yan-guo'), TODAY)).toMatch(/ · waits for Chinese for children/);
  });
});

describe('The classes of the demo school', () => {
  const studentsOf = ({ students: own, waiting = [] }: SchoolClazz) => [...own, ...waiting];
  const staffOf = ({ teacher, assistant }: SchoolClazz) => (assistant === undefined ? [teacher] : [teacher, assistant]);
  const meet = (one: readonly string[], other: readonly string[]): boolean => one.some((id) => other.includes(id));

  it('are twelve, of known people, in rooms that are large enough; students wait only for full classes', () => {
    expect(CLAZZES).toHaveLength(12);
    for (const clazz of CLAZZES) {
      for (const id of [...studentsOf(clazz), clazz.teacher]) expect(personOf(id).user_id).toBe(id);
      const room = ROOMS.find(({ name }) => name === clazz.room);
      expect(room?.capacity).toBeGreaterThanOrEqual(clazz.capacity);
      expect(clazz.students.length).toBeLessThanOrEqual(clazz.capacity);
      if (clazz.waiting !== undefined) expect(clazz.students).toHaveLength(clazz.capacity);
    }
    const enrolled = new Set(CLAZZES.flatMap(({ students: own }) => own));
    expect(enrolled.size).toBe(60);
  });

  it('have lessons from morning to evening on every day of a week', () => {
    for (let n = 0; n < 7; n += 1) {
      const day = addDays('2026-11-16', n);
      const times = lessons.filter((lesson) => lesson.day === day).map(({ time }) => time);
      expect([times[0], times.at(-1)]).toEqual(['09:00', expect.stringMatching(/^19:/)]);
      expect(times.length).toBeGreaterThanOrEqual(7);
    }
  });

  it('give no person and no room two lessons at once', () => {
    const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
    const clashes = lessons.flatMap((one, n) =>
      lessons
        .slice(n + 1)
        .filter(
          (other) =>
            other.day === one.day &&
            minutes(other.time) < minutes(one.time) + one.clazz.minutes &&
            (other.clazz.room === one.clazz.room ||
              meet(staffOf(one.clazz), staffOf(other.clazz)) ||
              meet(studentsOf(one.clazz), studentsOf(other.clazz))),
        ),
    );
    expect(clashes).toEqual([]);
  });

  it('include students who joined later and students who left', () => {
    for (const [key, student_id] of [
      ...Object.entries(TRIALS),
      ...PAUSES.map((it) => [it.key, it.student_id] as const),
    ])
      expect(CLAZZES.find((clazz) => clazz.key === key)?.students).toContain(student_id);
  });
});

describe('The term of the demo school', () => {
  it('is eight whole weeks around this one, on any day of it', () => {
    expect(term).toEqual({ starts_on: '2026-09-28', ends_on: '2027-01-24' });
    expect(termAround('2026-11-29', LENGTH)).toEqual(term);
  });

  it('crosses a clock change, except around New Year and in June, when no zone has one', () => {
    const days = Array.from({ length: 52 }, (_, n) => addDays('2026-01-01', 7 * n));
    const without = days.filter((day) => {
      const zone = zoneFor(new Date(`${day}T12:00:00Z`), LENGTH);
      const { starts_on, ends_on } = termAround(day, LENGTH);
      return !changesClocks(zone, starts_on, ends_on);
    });
    expect(new Set(without.map((day) => day.slice(5, 7)))).toEqual(new Set(['01', '06', '07']));
    expect(zoneFor(new Date('2026-11-23T12:00:00Z'), LENGTH)).toBe('Europe/Madrid');
    expect(zoneFor(new Date('2026-06-20T12:00:00Z'), LENGTH)).toBe('Europe/Madrid');
  });

  it('keeps local times when the clocks change', () => {
    expect(localOf('Europe/Madrid', '2026-10-23T07:00:00Z')).toEqual({ day: '2026-10-23', time: '09:00' });
    expect(localOf('Europe/Madrid', '2026-10-26T08:00:00Z')).toEqual({ day: '2026-10-26', time: '09:00' });
    expect(localOf('Australia/Sydney', '2026-11-22T22:30:00Z')).toEqual({ day: '2026-11-23', time: '09:30' });
  });

  it('is extended when it has less than two weeks left, repeatedly', () => {
    expect(endOn('2027-01-10', term.ends_on)).toBe(term.ends_on);
    expect(endOn('2027-01-11', term.ends_on)).toBe('2027-03-21');
    expect(endOn('2027-06-01', term.ends_on)).toBe('2027-07-11');
  });

  it('has one day without lessons in eight weeks', () => {
    expect(closed).toEqual(['2026-10-28', '2026-12-23']);
    expect(closed.map(weekdayOf)).toEqual(['WE', 'WE']);
    expect(lessons.filter(({ day }) => closed.includes(day))).toEqual([]);
  });

  it('recognizes a moved lesson', () => {
    const slot = { days: ['MO', 'FR'], time: '10:30' } as const;
    expect(isOfSlot(slot, { day: '2026-11-23', time: '10:30' })).toBe(true);
    expect(isOfSlot(slot, { day: '2026-11-23', time: '11:00' })).toBe(false);
    expect(isOfSlot(slot, { day: '2026-11-24', time: '10:30' })).toBe(false);
  });
});

describe('The events of the demo school', () => {
  const attended = lessons.flatMap((lesson) =>
    lesson.clazz.students.map((student_id) => markOf(student_id, lessonKey(lesson))),
  );
  const share = <T>(drawn: readonly T[], what: T): number => drawn.filter((one) => one === what).length / drawn.length;

  it('are the same in every run, and plausible', () => {
    const days = ['11-20 15:00', '11-21 09:00', '11-25 15:00', '12-04 15:00'];
    expect(days.map((day) => markOf('an-lin', `children-chinese 2026-${day}`))).toEqual([
      'present',
      'late',
      'absent',
      'leave',
    ]);
    expect(share(attended, 'present')).toBeGreaterThan(0.8);
    for (const mark of ['late', 'absent', 'leave'] as const) expect(share(attended, mark)).toBeGreaterThan(0.015);
    const keys = lessons.map(lessonKey);
    for (const change of ['cancelled', 'moved', 'substituted'] as const)
      expect(share(keys.map(changeOf), change)).toBeGreaterThan(0.01);
    for (const taken of ['missing', 'incomplete'] as const)
      expect(share(keys.map(drawnRollCallOf), taken)).toBeLessThan(0.2);
    const asked = new Set(keys.flatMap((key) => students.map(({ user_id }) => drawnLeaveOf(user_id, key))));
    expect([...asked].toSorted()).toEqual(['approved', 'no', 'pending', 'rejected']);
  });

  it('result in the planned state of each account', () => {
    students.forEach(({ user_id }, place) => {
      const used = usedHours(user_id, lessons, TODAY);
      const standing = standingOf(place);
      const left = grantsOf(user_id, standing, used).reduce((sum, { hours }) => sum + Number(hours), 0) - used;
      if (standing === 'enough') expect(left).toBeGreaterThan(5);
      if (standing === 'low' && used > 0) expect(left).toBeGreaterThan(0);
      if (standing === 'low') expect(left).toBeLessThanOrEqual(1.5);
      if (standing === 'owes' && used > 4) expect(left).toBeLessThan(0);
    });
  });
});

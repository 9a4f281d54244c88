import { addDays } from '../../../libs/kit/src/base/time.ts';
import type { SchoolClazz } from './clazzes.ts';
import { changeOf, draw, markOf, OPEN_DAYS, drawnRollCallOf } from './random-draws.rules.ts';
import type { PlannedLesson } from './term.rules.ts';

/** The state of an account: most have enough, a few run low, owe, or lose hours soon. */
export type Standing = 'enough' | 'low' | 'owes' | 'expires';

/** Of twenty students, in their order. */
const PATTERN = 'e e l e x e l e o e e l e o e x e e e e';
const NAMED: Readonly<Record<string, Standing>> = { e: 'enough', l: 'low', x: 'expires', o: 'owes' };
const STANDINGS = PATTERN.split(' ').map((letter) => NAMED[letter] ?? 'enough');

export const standingOf = (place: number): Standing => STANDINGS[place % STANDINGS.length] ?? 'enough';

/** Hours as the API writes them. */
export const hoursText = (hours: number): string => hours.toFixed(2);

/** Whether a lesson was held with a roll call, by the random draw. */
const isCharged = (lesson: PlannedLesson, today: string): boolean => {
  const key = lessonKey(lesson);
  const isOpen = lesson.day >= addDays(today, -OPEN_DAYS) && drawnRollCallOf(key) === 'missing';
  return lesson.day < today && changeOf(key) !== 'cancelled' && !isOpen;
};

/** The hours that a student used, by the marks drawn for past lessons. Leave in time costs nothing. */
export const usedHours = (student_id: string, lessons: readonly PlannedLesson[], today: string): number =>
  lessons
    .filter((lesson) => isCharged(lesson, today) && lesson.clazz.students.includes(student_id))
    .filter((lesson) => markOf(student_id, lessonKey(lesson)) !== 'leave')
    .reduce((sum, { clazz }) => sum + clazz.minutes / 60, 0);

/** The key of random draws: the class and the planned local start. */
export const lessonKey = ({ clazz, day, time }: { clazz: SchoolClazz; day: string; time: string }): string =>
  `${clazz.key} ${day} ${time}`;

export interface PlannedGrant {
  hours: string;
  kind: 'paid' | 'gift';
  /** Days from now; by default the validity of its package. */
  expires_in_days?: number;
}

const PACKET = 10;

/** The grants of a student that result in the wanted state after the used hours. */
export const grantsOf = (student_id: string, standing: Standing, used: number): PlannedGrant[] => {
  const gift: PlannedGrant[] = draw(7, 'gift', student_id) === 0 ? [{ hours: '2.00', kind: 'gift' }] : [];
  const paid = (hours: number, expires_in_days?: number): PlannedGrant => ({
    hours: hoursText(hours),
    kind: 'paid',
    ...(expires_in_days === undefined ? {} : { expires_in_days }),
  });
  switch (standing) {
    case 'enough': {
      const [first, rest] = [Math.ceil(used / 2 / PACKET) * PACKET, Math.ceil(used / 2 / PACKET) * PACKET];
      return [...gift, paid(Math.max(PACKET, first)), paid(rest + PACKET + draw(3, 'more', student_id) * 5)];
    }
    case 'low':
      return [paid(Math.max(1, Math.floor(used) + 1.5))];
    case 'owes':
      return [paid(Math.max(1, Math.floor(used) - 4))];
    case 'expires':
      return [paid(Math.max(1, Math.floor(used) + 4), 9 + draw(16, 'until', student_id)), paid(PACKET)];
  }
};

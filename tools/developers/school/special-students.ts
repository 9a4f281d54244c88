import { addDays } from '../../../libs/kit/src/base/time.ts';
import type { Term } from './term.rules.ts';

/** Students who joined a class later, at first on trial: by the key of the class. */
export const TRIALS: Readonly<Record<string, string>> = { 'spanish-b1': 'samuel-adeyemi', 'maths-exam': 'irene-vidal' };

/** So long after the term began. */
const LATER_DAYS = 3 * 7;
export const joinDay = ({ starts_on }: Term): string => addDays(starts_on, LATER_DAYS);

/** Enrolments that end, and why. */
export const PAUSES = [
  { key: 'hsk-2', student_id: 'owen-hughes', how: 'suspendEnrolment', reason: 'Abroad until spring' },
  { key: 'english-work', student_id: 'ana-castillo', how: 'withdrawEnrolment', reason: 'New job in another city' },
] as const;

/** Hours that change hands within a family. */
export const TRANSFER = { from: 'yue-lin', to: 'an-lin', hours: '2.00', reason: 'The parents asked for it' } as const;
export const GOODWILL = { student_id: 'tom-becker', hours: '1.00', reason: 'Heating failed during a lesson' } as const;

/** Whether a student still attends a class, by the plan of the school. */
export const isComing = (key: string, student_id: string): boolean =>
  !PAUSES.some((pause) => pause.key === key && pause.student_id === student_id);

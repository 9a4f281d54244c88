import { createHash } from 'node:crypto';
import type { Mark } from '../../../libs/contracts/src/clazz/clazz.schema.ts';

/** A number from 0 to `sides` - 1: the same for the same words, on every machine and at every run. */
export const draw = (sides: number, ...words: readonly string[]): number =>
  createHash('sha256').update(words.join('/')).digest().readUInt32BE() % sides;

/** Of a hundred marks: these are late, absent, on leave. */
const [LATE, ABSENT, LEAVE] = [6, 5, 3];

export type DrawnMark = Extract<Mark, 'present' | 'late' | 'absent' | 'leave'>;

/** How a student was at a lesson: most are there. */
export const markOf = (student_id: string, lesson: string): DrawnMark => {
  const drawn = draw(100, 'mark', student_id, lesson);
  if (drawn < LATE) return 'late';
  if (drawn < LATE + ABSENT) return 'absent';
  return drawn < LATE + ABSENT + LEAVE ? 'leave' : 'present';
};

/** A change of a lesson before it was held. */
export type Change = 'cancelled' | 'moved' | 'substituted' | 'none';
export const changeOf = (lesson: string): Change => {
  const drawn = draw(90, 'change', lesson);
  if (drawn < 3) return 'cancelled';
  if (drawn < 5) return 'moved';
  return drawn < 8 ? 'substituted' : 'none';
};

/** Of these days before today a few roll calls are still open; older ones the office enters. */
export const OPEN_DAYS = 9;

/** Roll calls of the last days that are still missing. */
export type DrawnRollCall = 'done' | 'incomplete' | 'missing';
export const drawnRollCallOf = (lesson: string): DrawnRollCall => {
  const drawn = draw(10, 'taken', lesson);
  if (drawn === 0) return 'missing';
  return drawn === 1 ? 'incomplete' : 'done';
};

/** The person who requests leave from a future lesson, and its outcome. */
export type DrawnLeave = 'no' | 'pending' | 'approved' | 'rejected';
export const drawnLeaveOf = (student_id: string, lesson: string): DrawnLeave => {
  if (draw(18, 'ask', student_id, lesson) !== 0) return 'no';
  const drawn = draw(8, 'decide', student_id, lesson);
  if (drawn < 3) return 'pending';
  return drawn < 7 ? 'approved' : 'rejected';
};

/** One of several. */
export const pick = <T>(list: readonly [T, ...T[]], ...words: readonly string[]): T =>
  list[draw(list.length, ...words)] ?? list[0];

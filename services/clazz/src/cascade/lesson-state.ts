import type { Lesson, Policy } from '@teaching/contracts';
import type { Row } from '@teaching/kit';
import { CLAZZ } from '../record/clazz.table.ts';
import type { NewMark, Outcome, Seat } from './seat.ts';

/** What the rules need to know of a lesson's class. */
export const FACTS = CLAZZ.some('id', 'name', 'status', 'course_id', 'lead_teacher_id', 'assistant_ids', 'capacity');
export type ClazzFacts = Row<typeof FACTS>;

/** A lesson with everybody who has to do with it: listed, marked before, or on leave. */
export interface LessonState {
  lesson: Lesson;
  clazz: ClazzFacts;
  seats: Seat[];
}

export interface Loaded {
  policy: Policy;
  lessons: LessonState[];
}

/** What was decided about one seat of one lesson. */
export interface Decided {
  state: LessonState;
  seat: Seat;
  outcome: Outcome;
}
export type Marked = Decided & { outcome: { mark: NewMark } };
export const isMarked = (decided: Decided): decided is Marked => decided.outcome.mark !== null;

type Of = { lesson_id: string; student_id: string };

/** Seats of lessons, made when first mentioned. */
export const createSeats = () => {
  const all = new Map<string, Map<string, Seat>>();
  return {
    at: ({ lesson_id, student_id }: Of): Seat => {
      const ofLesson = all.get(lesson_id) ?? new Map<string, Seat>();
      all.set(lesson_id, ofLesson);
      const seat = ofLesson.get(student_id) ?? { student_id, enrolled: false, guest: false, mark: null, leave: null };
      ofLesson.set(student_id, seat);
      return seat;
    },
    of: (lesson_id: string): Seat[] =>
      [...(all.get(lesson_id)?.values() ?? [])].sort((a, b) => (a.student_id < b.student_id ? -1 : 1)),
  };
};

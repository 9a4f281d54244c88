import type { Policy } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { asDecimals } from '../hours/hundredths.rules.ts';
import { openBooks } from '../hours/open-books.ts';
import { requireEnough } from '../hours/overdraft.rules.ts';
import { saveBooks } from '../hours/save-books.ts';
import { type Because, isRefusable } from './because.rules.ts';
import { requireWindowOfHeld } from './edit-window.rules.ts';
import { deriveSeat } from './cascade.rules.ts';
import { type Instruction } from './seat.ts';
import { type Decided, isMarked, type Marked } from './lesson-state.ts';
import type { LessonState } from './lesson-state.ts';
import { MARK_REVISION } from './mark-revision.table.ts';
import { moveHours } from './move-hours.ts';
import { saveLeaves } from './save-leaves.ts';
import { auditMarks, publishMarkEvents } from './tell-marks.ts';

export interface CascadeRequest {
  policy: Policy;
  lessons: readonly LessonState[];
  /** What is said about seats, by student. */
  instructions?: ReadonlyMap<string, Instruction>;
  reason: string | null;
  because: Because;
  /** What the caller gave as a reason, where one may be needed. */
  said?: string | null;
}

const saveRevisions = (session: Session, marked: readonly Marked[], reason: string | null): void => {
  const { org_id } = session;
  const rows = marked.map(({ state, seat, outcome }) => {
    const { moves: _derived, ...mark } = outcome.mark;
    const of = { org_id, lesson_id: state.lesson.id, student_id: seat.student_id };
    return { ...of, ...asDecimals(['charged_hours'], mark), reason };
  });
  session.insert(MARK_REVISION, ...rows);
};

/** Lessons with their seats as they are after what was decided. */
const asDecided = (lessons: readonly LessonState[], decided: readonly Decided[]): LessonState[] => {
  const outcomes = new Map(decided.map(({ seat, outcome }) => [seat, outcome]));
  return lessons.map((state) => ({
    ...state,
    seats: state.seats.map((seat) => {
      const outcome = outcomes.get(seat);
      return { ...seat, mark: outcome?.mark ?? seat.mark, leave: outcome?.leave ?? seat.leave };
    }),
  }));
};

/** What is dated back may reach into lessons whose edit window is over. */
const requireWindows = (
  session: Session,
  decided: readonly Decided[],
  policy: Policy,
  reason: string | null | undefined,
): void => {
  const { caller, now } = session;
  for (const { state, outcome } of decided) {
    if (outcome.mark === null && outcome.leave === null) continue;
    requireWindowOfHeld(state.lesson, policy, { caller, reason }, now);
  }
};

/**
 * The one way marks, charges, leave and credits ever change: derives every seat of these lessons by the
 * rules, moves the hours, stores all of it in the caller's transaction and publishes it at its commit. Answers the lessons
 * with their seats as they are now.
 */
export const runCascade = async (session: Session, request: CascadeRequest): Promise<LessonState[]> => {
  const { policy, lessons, instructions, reason, because } = request;
  const act = { policy, actor_id: session.actor_id, now: session.now.toISOString() };
  const decided = lessons.flatMap((state) =>
    state.seats.map((seat): Decided => {
      return { state, seat, outcome: deriveSeat(state.lesson, seat, instructions?.get(seat.student_id), act) };
    }),
  );
  if (because === 'enrolment dated back') requireWindows(session, decided, policy, request.said);
  const marked = decided.filter(isMarked);
  const moving = marked.filter(({ outcome }) => outcome.mark.moves);
  const lesson_ids = [...new Set(moving.map(({ state }) => state.lesson.id))];
  const students = moving.map(({ seat }) => seat.student_id);
  const books = await openBooks(session, students, policy, lesson_ids);
  const short = moveHours(books, moving, act, reason);
  if (isRefusable(because)) requireEnough(short);
  saveRevisions(session, marked, reason);
  saveBooks(session, books, new Map(lessons.map(({ lesson }) => [lesson.id, lesson.clazz_id])));
  session.publishOnCommit(publishMarkEvents, marked);
  auditMarks(session, marked, reason);
  const leaves = decided.flatMap(({ seat, outcome }) =>
    outcome.leave === null ? [] : [{ before: seat.leave, after: outcome.leave }],
  );
  await saveLeaves(session, leaves, reason);
  return asDecided(lessons, decided);
};

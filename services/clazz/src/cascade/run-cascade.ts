import { clazzEvents, type Policy, fromHundredths } from '@teaching/contracts';
import { type Session, statement, type Tell } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { bookOf, type Books, openBooks } from '../hours/open-books.ts';
import { owesTooMuch, requireEnough, type Short, shortOf } from '../hours/overdraft.rules.ts';
import { saveBooks } from '../hours/save-books.ts';
import { saveLeaves } from './save-leaves.ts';
import { deriveSeat, type Outcome, type Seat, type Wish } from './cascade.rules.ts';
import type { LessonState } from './load-lessons.ts';

const ADD_REVISIONS = statement(
  `insert into mark_revision (org_id, marked_by, marked_at, reason, lesson_id, student_id, revision, mark, note,
     charge_rule, lesson_hours, charged_hours, policy_version)
   select $1, $3, $4, $5, m.* from json_to_recordset($2) as m(lesson_id uuid, student_id text, revision int,
     mark text, note text, charge_rule text, lesson_hours numeric, charged_hours numeric, policy_version int)`,
);

/** What was decided about one seat of one lesson. */
interface Decided {
  state: LessonState;
  seat: Seat;
  outcome: Outcome;
}
type Marked = Decided & { outcome: { mark: NonNullable<Outcome['mark']> } };

export interface CascadeRequest {
  policy: Policy;
  lessons: readonly LessonState[];
  /** What a roll call says, by student. */
  wishes?: ReadonlyMap<string, Wish>;
  reason: string | null;
  /** Whether too few hours refuse it. What nobody asked for, such as a cancelled lesson, is never refused. */
  mayRefuse: boolean;
}

/** Gives back and charges anew in the books of all students whose mark moves hours. */
const moveHours = (books: Books, moving: readonly Marked[], request: CascadeRequest, actor_id: string): Short[] => {
  const { policy, reason } = request;
  const cause = { actor_id, reason, policy_version: policy.version };
  const short: Short[] = [];
  for (const { state, seat, outcome } of moving) {
    const book = bookOf(books, seat.student_id);
    const { lesson, clazz } = state;
    const debt = book.debt;
    book.giveBack(lesson.id, cause);
    const { balance } = book;
    const { charged, revision } = outcome.mark;
    const { course_id } = clazz;
    if (charged > 0) book.charge(charged, { ...cause, lesson_id: lesson.id, mark_revision: revision, course_id });
    book.settle();
    if (owesTooMuch(policy, debt, book.debt)) short.push(shortOf(book, balance, charged));
  }
  return short;
};

const saveRevisions = (session: Session, marked: readonly Marked[], reason: string | null): void => {
  const rows = marked.map(({ state, seat, outcome: { mark } }) => ({
    ...mark,
    lesson_id: state.lesson.id,
    student_id: seat.student_id,
    charged_hours: fromHundredths(mark.charged),
  }));
  session.run(ADD_REVISIONS, session.org_id, JSON.stringify(rows), session.caller.user_id, session.now, reason);
};

/** Marks that a transaction revised: one event for each class, with the lessons as they are then. */
const tellRevisions: Tell<Marked> = (session, marked) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(marked, ({ state }) => state.lesson.clazz_id)) {
    const lessons = [...Map.groupBy(ofClazz, ({ state }) => state.lesson.id).values()].flatMap((ofLesson) => {
      const lesson = ofLesson.at(-1)?.state.lesson;
      const marks = ofLesson.map(({ seat, outcome: { mark } }) => ({
        student_id: seat.student_id,
        mark: mark.mark,
        revision: mark.revision,
        charged_hours: fromHundredths(mark.charged),
      }));
      return lesson === undefined ? [] : [{ lesson, marks }];
    });
    const by = { clazz_id, marked_by: session.caller.user_id, marked_at: session.now.toISOString() };
    for (const part of inParts(lessons)) {
      session.emit(clazzEvents.rollCallsRecorded, clazz_id, { ...by, lessons: part });
    }
  }
};

/** Tells the marks that changed, and puts one entry for each lesson on the audit trail. */
const tellMarks = (session: Session, marked: readonly Marked[], reason: string | null): void => {
  session.tellOnce(tellRevisions, marked);
  for (const ofLesson of Map.groupBy(marked, ({ state }) => state.lesson.id).values()) {
    const [{ state }] = ofLesson as [Marked, ...Marked[]];
    const { lesson } = state;
    const isFirst = state.seats.every((seat) => seat.mark === null);
    const changes = Object.fromEntries(
      ofLesson.map(({ seat, outcome }) => [
        seat.student_id,
        { before: seat.mark?.mark ?? null, after: outcome.mark.mark },
      ]),
    );
    const entry = {
      action: isFirst ? 'create' : 'update',
      entity: 'roll_call',
      entity_id: lesson.id,
      changes,
    } as const;
    audit(session, lesson.clazz_id, [entry], reason);
  }
};

const isMarked = (decided: Decided): decided is Marked => decided.outcome.mark !== null;

/**
 * The one way marks, charges, leave and credits ever change: derives every seat of these lessons by the
 * rules, moves the hours, and stores and tells all of it in the caller's transaction. Answers the lessons
 * with their seats as they are now.
 */
export const runCascade = async (session: Session, request: CascadeRequest): Promise<LessonState[]> => {
  const { policy, lessons, wishes, reason } = request;
  const act = { policy, actor_id: session.caller.user_id, now: session.now.toISOString() };
  const decided = lessons.flatMap((state) =>
    state.seats.map((seat): Decided => {
      return { state, seat, outcome: deriveSeat(state.lesson, seat, wishes?.get(seat.student_id), act) };
    }),
  );
  const marked = decided.filter(isMarked);
  const moving = marked.filter(({ outcome }) => outcome.mark.moves);
  const lesson_ids = [...new Set(moving.map(({ state }) => state.lesson.id))];
  const students = moving.map(({ seat }) => seat.student_id);
  const books = await openBooks(session, students, policy, lesson_ids);
  const short = moveHours(books, moving, request, act.actor_id);
  if (request.mayRefuse) requireEnough(short);
  if (marked.length > 0) saveRevisions(session, marked, reason);
  saveBooks(session, books, new Map(lessons.map(({ lesson }) => [lesson.id, lesson.clazz_id])));
  tellMarks(session, marked, reason);
  saveLeaves(
    session,
    decided.flatMap(({ seat, outcome }) =>
      outcome.leave === null ? [] : [{ before: seat.leave, after: outcome.leave }],
    ),
    reason,
  );
  const outcomes = new Map(decided.map(({ seat, outcome }) => [seat, outcome]));
  return lessons.map((state) => ({
    ...state,
    seats: state.seats.map((seat) => {
      const outcome = outcomes.get(seat);
      return { ...seat, mark: outcome?.mark ?? seat.mark, leave: outcome?.leave ?? seat.leave };
    }),
  }));
};

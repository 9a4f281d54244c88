import { clazzEvents, fieldPicker, type Policy, RevisedMark } from '@teaching/contracts';
import type { EventPublisher, Session } from '@teaching/kit';
import { audit } from '../audit/record-audit.ts';
import { toBatches } from '../audit/event-batches.ts';
import { lateMinutesField, noteField } from '../audit/audit-texts.rules.ts';
import { amountsToDecimals } from '../hours/amounts.rules.ts';
import { ledgerOf, type OpenLedgers, openLedgers, saveLedgers } from '../hours/ledger.ts';
import { exceedsOverdraft, requireEnoughHours, type Shortage, shortageOf } from '../hours/overdraft.rules.ts';
import { toPublicLesson } from '../record/lesson-rows.ts';
import {
  type CascadeTrigger,
  type DerivedSeat,
  deriveSeat,
  type SeatInstruction,
  isRefusable,
  hasRevision,
  type LessonState,
  type RevisedSeat,
} from './cascade.rules.ts';
import { MARK_REVISION } from './cascade.tables.ts';
import { requireEditWindowOfHeldLesson } from './edit-window.rules.ts';
import { saveLeaves } from './save-leaves.ts';

/**
 * Reverses the former charges and makes the new ones, for all students whose hours move. Returns the students who then
 * exceed the overdraft.
 */
const moveHours = (
  ledgers: OpenLedgers,
  moving: readonly RevisedSeat[],
  { policy, actor_id }: { policy: Policy; actor_id: string },
  reason: string | null,
): Shortage[] => {
  const cause = { actor_id, reason, policy_version: policy.version };
  const shortages: Shortage[] = [];
  for (const { state, seat, outcome } of moving) {
    const ledger = ledgerOf(ledgers, seat.student_id);
    const { lesson, clazz } = state;
    const debt = ledger.debt;
    ledger.reverseCharges(lesson.id, cause);
    const { balance } = ledger;
    const { charged_hours, revision } = outcome.mark;
    const { course_id } = clazz;
    if (charged_hours > 0) {
      const { id: lesson_id, starts_at } = lesson;
      ledger.charge(charged_hours, { ...cause, lesson_id, starts_at, mark_revision: revision, course_id });
    }
    ledger.settleDebts();
    if (exceedsOverdraft(policy, debt, ledger.debt)) shortages.push(shortageOf(ledger, balance, charged_hours));
  }
  return shortages;
};

const toRevisedMark = fieldPicker(RevisedMark);

/** Publishes the marks that a transaction revised: one event for each class, with the lessons in their final state. */
const publishMarkEvents: EventPublisher<RevisedSeat> = (session, marked) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(marked, ({ state }) => state.lesson.clazz_id)) {
    const lessons = [...Map.groupBy(ofClazz, ({ state }) => state.lesson.id).values()].flatMap((ofLesson) => {
      const lesson = ofLesson.at(-1)?.state.lesson;
      const marks = ofLesson.map(({ seat: { student_id }, outcome: { mark } }) =>
        toRevisedMark({ student_id, ...amountsToDecimals(['charged_hours'], mark) }),
      );
      return lesson === undefined ? [] : [{ lesson: toPublicLesson(lesson), marks }];
    });
    const by = { clazz_id, marked_by: session.actor_id, marked_at: session.now.toISOString() };
    for (const part of toBatches(lessons)) {
      session.emit(clazzEvents.rollCallsRecorded, clazz_id, { ...by, lessons: part });
    }
  }
};

/** Adds one audit entry for the marks of a lesson. */
const auditMarksOfLesson = (
  session: Session,
  ofLesson: readonly [RevisedSeat, ...RevisedSeat[]],
  reason: string | null,
): void => {
  const [{ state }] = ofLesson;
  const { lesson } = state;
  const isFirst = state.seats.every((seat) => seat.mark === null);
  const changes = Object.fromEntries(
    ofLesson.flatMap(({ seat: { student_id, mark }, outcome }) => {
      const notes = { before: mark?.note ?? null, after: outcome.mark.note };
      const marks = { before: mark?.mark ?? null, after: outcome.mark.mark };
      const noted = notes.before === notes.after ? [] : [[noteField(student_id), notes] as const];
      const late = { before: mark?.late_minutes ?? null, after: outcome.mark.late_minutes };
      const minutes = late.before === late.after ? [] : [[lateMinutesField(student_id), late] as const];
      return [[student_id, marks] as const, ...noted, ...minutes];
    }),
  );
  const action = isFirst ? 'create' : 'update';
  const about = ofLesson.map(({ seat }) => seat.student_id);
  audit(session, lesson.clazz_id, [{ action, entity: 'roll_call', entity_id: lesson.id, changes, about }], reason);
};

/** Adds an audit entry for each lesson with changed marks. */
const auditMarks = (session: Session, marked: readonly RevisedSeat[], reason: string | null): void => {
  for (const ofLesson of Map.groupBy(marked, ({ state }) => state.lesson.id).values()) {
    auditMarksOfLesson(session, ofLesson as [RevisedSeat, ...RevisedSeat[]], reason);
  }
};

interface CascadeRequest {
  policy: Policy;
  lessons: readonly LessonState[];
  /** The changes, by student. */
  instructions?: ReadonlyMap<string, SeatInstruction>;
  reason: string | null;
  trigger: CascadeTrigger;
  /** The reason of the caller. It is checked where a back-dated enrolment changes lessons after their edit window. */
  reasonGiven?: string | null;
}

const saveRevisions = (session: Session, marked: readonly RevisedSeat[], reason: string | null): void => {
  const { org_id } = session;
  const rows = marked.map(({ state, seat, outcome }) => {
    const { moves: _derived, ...mark } = outcome.mark;
    const of = { org_id, lesson_id: state.lesson.id, student_id: seat.student_id };
    return { ...of, ...amountsToDecimals(['charged_hours'], mark), reason };
  });
  session.insert(MARK_REVISION, ...rows);
};

/** The lessons with the seats after their outcomes. */
const withOutcomes = (lessons: readonly LessonState[], derived: readonly DerivedSeat[]): LessonState[] => {
  const outcomes = new Map(derived.map(({ seat, outcome }) => [seat, outcome]));
  return lessons.map((state) => ({
    ...state,
    seats: state.seats.map((seat) => {
      const outcome = outcomes.get(seat);
      return { ...seat, mark: outcome?.mark ?? seat.mark, leave: outcome?.leave ?? seat.leave };
    }),
  }));
};

/** Checks the edit window of each held lesson that a back-dated enrolment changes. */
const requireWindows = (
  session: Session,
  derived: readonly DerivedSeat[],
  policy: Policy,
  reason: string | null | undefined,
): void => {
  const { caller, now } = session;
  for (const { state, outcome } of derived) {
    if (outcome.mark === null && outcome.leave === null) continue;
    requireEditWindowOfHeldLesson(state.lesson, policy, { caller, reason }, now);
  }
};

/**
 * Derives all seats of these lessons by the rules and stores the changed marks, charges, leave and credits. No other
 * code changes them.
 * Everything is stored in the caller's transaction and published at its commit. Returns the lessons with their seats as
 * they are afterwards.
 */
export const runCascade = async (session: Session, request: CascadeRequest): Promise<LessonState[]> => {
  const { policy, lessons, instructions, reason, trigger } = request;
  const context = { policy, actor_id: session.actor_id, now: session.now.toISOString() };
  const derived = lessons.flatMap((state) =>
    state.seats.map((seat): DerivedSeat => {
      return { state, seat, outcome: deriveSeat(state.lesson, seat, instructions?.get(seat.student_id), context) };
    }),
  );
  if (trigger === 'enrolment dated back') requireWindows(session, derived, policy, request.reasonGiven);
  const marked = derived.filter(hasRevision);
  const moving = marked.filter(({ outcome }) => outcome.mark.moves);
  const lesson_ids = [...new Set(moving.map(({ state }) => state.lesson.id))];
  const students = moving.map(({ seat }) => seat.student_id);
  const ledgers = await openLedgers(session, students, policy, lesson_ids);
  const shortages = moveHours(ledgers, moving, context, reason);
  if (isRefusable(trigger)) requireEnoughHours(shortages);
  saveRevisions(session, marked, reason);
  saveLedgers(session, ledgers, new Map(lessons.map(({ lesson }) => [lesson.id, lesson.clazz_id])));
  session.publishOnCommit(publishMarkEvents, marked);
  auditMarks(session, marked, reason);
  const leaves = derived.flatMap(({ seat, outcome }) =>
    outcome.leave === null ? [] : [{ before: seat.leave, after: outcome.leave }],
  );
  await saveLeaves(session, leaves, reason);
  return withOutcomes(lessons, derived);
};

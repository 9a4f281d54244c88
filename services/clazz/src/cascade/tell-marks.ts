import { clazzEvents, picking, RevisedMark } from '@teaching/contracts';
import type { EventPublisher, Session } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import { lateOf, noteOf } from '../audit/texts.rules.ts';
import { inParts } from '../audit/in-parts.ts';
import { asDecimals } from '../hours/hundredths.rules.ts';
import { toPublicLesson } from '../record/tell-lessons.ts';
import type { Marked } from './lesson-state.ts';

const revised = picking(RevisedMark);

/** Emits the marks that a transaction revised: one event for each class, with the lessons as they are then. */
export const publishMarkEvents: EventPublisher<Marked> = (session, marked) => {
  for (const [clazz_id, ofClazz] of Map.groupBy(marked, ({ state }) => state.lesson.clazz_id)) {
    const lessons = [...Map.groupBy(ofClazz, ({ state }) => state.lesson.id).values()].flatMap((ofLesson) => {
      const lesson = ofLesson.at(-1)?.state.lesson;
      const marks = ofLesson.map(({ seat: { student_id }, outcome: { mark } }) =>
        revised({ student_id, ...asDecimals(['charged_hours'], mark) }),
      );
      return lesson === undefined ? [] : [{ lesson: toPublicLesson(lesson), marks }];
    });
    const by = { clazz_id, marked_by: session.actor_id, marked_at: session.now.toISOString() };
    for (const part of inParts(lessons)) {
      session.emit(clazzEvents.rollCallsRecorded, clazz_id, { ...by, lessons: part });
    }
  }
};

/** Puts one entry for a lesson on the audit trail. */
const auditMarksOfLesson = (
  session: Session,
  ofLesson: readonly [Marked, ...Marked[]],
  reason: string | null,
): void => {
  const [{ state }] = ofLesson;
  const { lesson } = state;
  const isFirst = state.seats.every((seat) => seat.mark === null);
  const changes = Object.fromEntries(
    ofLesson.flatMap(({ seat: { student_id, mark }, outcome }) => {
      const notes = { before: mark?.note ?? null, after: outcome.mark.note };
      const marks = { before: mark?.mark ?? null, after: outcome.mark.mark };
      const noted = notes.before === notes.after ? [] : [[noteOf(student_id), notes] as const];
      const late = { before: mark?.late_minutes ?? null, after: outcome.mark.late_minutes };
      const minutes = late.before === late.after ? [] : [[lateOf(student_id), late] as const];
      return [[student_id, marks] as const, ...noted, ...minutes];
    }),
  );
  const action = isFirst ? 'create' : 'update';
  const about = ofLesson.map(({ seat }) => seat.student_id);
  audit(session, lesson.clazz_id, [{ action, entity: 'roll_call', entity_id: lesson.id, changes, about }], reason);
};

/** Puts an entry on the audit trail for each lesson whose marks changed. */
export const auditMarks = (session: Session, marked: readonly Marked[], reason: string | null): void => {
  for (const ofLesson of Map.groupBy(marked, ({ state }) => state.lesson.id).values()) {
    auditMarksOfLesson(session, ofLesson as [Marked, ...Marked[]], reason);
  }
};

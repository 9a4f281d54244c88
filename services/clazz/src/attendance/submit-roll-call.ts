import { type Lesson, notFound, type rollCallCalls } from '@teaching/contracts';
import { type Handler, type Session, statement, touched } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import type { LessonState } from '../cascade/lesson-state.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { isListed, type Seat } from '../cascade/seat.ts';
import { requireOpen } from '../record/access.rules.ts';
import { setUnmarked } from '../record/expected-students.ts';
import { tellLessons } from '../record/tell-lessons.ts';
import { restoreBookingsOf } from './restore-bookings.ts';
import { requireListed, requireMarker, requireTime, toRow } from './roll-call.rules.ts';

const MARK_HELD = statement(
  `update lesson set status = 'held', version = version + 1, updated_at = $3 where org_id = $1 and id = $2`,
);

/** The first roll call makes a scheduled lesson a held one. */
const asHeld = (session: Session, state: LessonState): LessonState => {
  const { lesson } = state;
  if (lesson.status === 'held') return state;
  session.run(MARK_HELD, session.org_id, lesson.id, session.now);
  const held = touched({ ...lesson, status: 'held' as const }, session);
  session.tellOnce(tellLessons, [held]);
  const changes = { status: { before: lesson.status, after: held.status } };
  audit(session, lesson.clazz_id, [{ action: 'update', entity: 'lesson', entity_id: lesson.id, changes }]);
  return { ...state, lesson: held };
};

/** Whoever is listed at the first roll call and gets no mark is missed, until there is one. */
const tellUnmarked = (session: Session, { id, status }: Lesson, listed: readonly Seat[]): void => {
  const isFirst = status !== 'held';
  const seats = listed.filter(({ mark }) => (mark === null || mark.mark === null) === isFirst);
  setUnmarked(
    session,
    seats.map(({ student_id }) => ({ lesson_id: id, student_id, unmarked: isFirst })),
  );
};

/**
 * Roll call of a whole class, or a correction of it. A mark is never overwritten: what differs becomes a new
 * revision with its charge, in one transaction; the same marks again change nothing.
 */
export const submitRollCall: Handler<typeof rollCallCalls.submit> = async ({ path, body }, session) => {
  const { policy, lessons } = await lockSeats(session, [path.lesson_id]);
  const [state] = lessons;
  if (state === undefined) throw notFound('Lesson');
  requireMarker(session.caller, state);
  requireOpen(state.clazz);
  requireTime(state, policy, { caller: session.caller, reason: body.reason }, session.now);
  requireListed(state.seats, body.marks);
  const held = asHeld(session, state);
  const instructions = new Map(
    body.marks.map(({ student_id, mark, note }) => [student_id, { mark, note: note ?? null }]),
  );
  const request = { policy, lessons: [held], instructions, reason: body.reason ?? null, because: 'roll call' as const };
  const [after] = await runCascade(session, request);
  const listed = (after?.seats ?? []).filter(isListed);
  tellUnmarked(session, state.lesson, listed);
  const not_restored = await restoreBookingsOf(session, held.seats, after?.seats ?? [], body.reason ?? null);
  const answer = { lesson: held.lesson, marks: listed.map(toRow) };
  return not_restored.length === 0 ? answer : { ...answer, not_restored };
};

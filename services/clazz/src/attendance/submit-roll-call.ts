import { notFound, type rollCallCalls } from '@teaching/contracts';
import { type Handler, isSupervisor, type Session, statement, touched } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import type { LessonState } from '../cascade/lesson-state.ts';
import { lockSeats } from '../cascade/load-seats.ts';
import { runCascade } from '../cascade/run-cascade.ts';
import { isListed } from '../cascade/seat.ts';
import { requireOpen } from '../record/access.rules.ts';
import { tellLessons } from '../record/tell-lessons.ts';
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
  const who = { isSupervisor: isSupervisor(session.caller), reason: body.reason };
  requireTime(state, policy.roll_call, who, session.now);
  requireListed(state.seats, body.marks);
  const held = asHeld(session, state);
  const instructions = new Map(
    body.marks.map(({ student_id, mark, note }) => [student_id, { mark, note: note ?? null }]),
  );
  const request = { policy, lessons: [held], instructions, reason: body.reason ?? null, because: 'roll call' as const };
  const [after] = await runCascade(session, request);
  return { lesson: held.lesson, marks: (after?.seats ?? []).filter(isListed).map(toRow) };
};

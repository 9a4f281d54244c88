import { notFound, type rollCallCalls } from '@teaching/contracts';
import { type Handler, isSupervisor, type Session, statement } from '@teaching/kit';
import { audit } from '../audit/audit.ts';
import { tellLessons } from '../schedule/tell-lessons.ts';
import { isListed } from '../cascade/cascade.rules.ts';
import { type LessonState, loadLessons } from '../cascade/load-lessons.ts';
import { requireListed, requireMarker, requireOpenClazz, requireTime, toRow } from './roll-call.rules.ts';
import { runCascade } from '../cascade/run-cascade.ts';

const HOLD = statement(
  `update lesson set status = 'held', version = version + 1, updated_at = $3 where org_id = $1 and id = $2`,
);

/** The first roll call makes a scheduled lesson a held one. */
const hold = (session: Session, state: LessonState): LessonState => {
  const { lesson } = state;
  if (lesson.status === 'held') return state;
  session.run(HOLD, session.org_id, lesson.id, session.now);
  const held = {
    ...lesson,
    status: 'held' as const,
    version: lesson.version + 1,
    updated_at: session.now.toISOString(),
  };
  session.tellOnce(tellLessons, [held]);
  const changes = { status: { before: lesson.status, after: 'held' } };
  audit(session, lesson.clazz_id, [{ action: 'update', entity: 'lesson', entity_id: lesson.id, changes }]);
  return { ...state, lesson: held };
};

/**
 * Roll call of a whole class, or a correction of it. A mark is never overwritten: what differs becomes a new
 * revision with its charge, in one transaction; the same marks again change nothing.
 */
export const submitRollCall: Handler<typeof rollCallCalls.submit> = async ({ path, body }, session) => {
  const { policy, lessons } = await loadLessons(session, [path.lesson_id]);
  const [state] = lessons;
  if (state === undefined) throw notFound('Lesson');
  requireMarker(session.caller, state);
  requireOpenClazz(state.clazz);
  const who = { isSupervisor: isSupervisor(session.caller), reason: body.reason };
  requireTime(state, policy.roll_call, who, session.now);
  requireListed(state.seats, body.marks);
  const held = hold(session, state);
  const wishes = new Map(body.marks.map(({ student_id, mark, note }) => [student_id, { mark, note: note ?? null }]));
  const reason = body.reason ?? null;
  const [after] = await runCascade(session, { policy, lessons: [held], wishes, reason, mayRefuse: true });
  return { lesson: held.lesson, marks: (after?.seats ?? []).filter(isListed).map(toRow) };
};

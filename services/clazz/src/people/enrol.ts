import { type Enrolment, type enrolmentCalls, Problem } from '@teaching/contracts';
import { type Handler, newId, type Session } from '@teaching/kit';
import { requireOpen } from '../clazz/clazz.rules.ts';
import { lockOwnClazz } from '../clazz/load-clazz.ts';
import { scheduleConflict } from '../schedule/conflict.rules.ts';
import { findStudentConflicts } from '../schedule/find-conflicts.ts';
import { lockSchedule } from '../schedule/lock-schedule.ts';
import { checkStudents, freeSeats, seatsFor } from './enrolment.rules.ts';
import { belongingSince, livingEnrolments, takenSeats } from './read-enrolments.ts';
import { saveEnrolments } from './save-enrolments.ts';

/** 409 `duplicate` naming every student who already belongs to the class or waits for it. */
const requireNew = async (session: Session, clazz_id: string, students: readonly string[], since: string) => {
  const [living, belonging] = await Promise.all([
    livingEnrolments(session, clazz_id, students),
    belongingSince(session, clazz_id, students, since),
  ]);
  const known = new Set([...living.map((row) => row.student_id), ...belonging]);
  const errors = students.flatMap((id, index) =>
    known.has(id) ? [{ path: `/body/student_ids/${index}`, message: 'is already enrolled' }] : [],
  );
  if (errors.length > 0) throw new Problem('duplicate', { detail: 'Already enrolled', errors });
};

const requireFree = async (session: Session, clazz_id: string, students: readonly string[], since: string) => {
  const clashes = await findStudentConflicts(session, clazz_id, students, since);
  if (clashes.length > 0) throw scheduleConflict(clashes);
};

/** Enrols all students or none, from `since` on; those without a seat wait if that was asked for. */
export const enrol: Handler<typeof enrolmentCalls.enrol> = async ({ path, body }, session) => {
  checkStudents(body.student_ids);
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const now = session.now.toISOString();
  const since = body.since ?? now;
  const [taken] = await Promise.all([
    takenSeats(session, it.id),
    requireNew(session, it.id, body.student_ids, since),
    lockSchedule(session, { students: body.student_ids }),
  ]);
  const free = freeSeats(it.capacity ?? null, taken);
  const { seated } = seatsFor(body.student_ids, free, body.waitlist === true);
  if (seated.length > 0) await requireFree(session, it.id, seated, since);
  const items = body.student_ids.map((student_id, index): Enrolment => {
    const hasSeat = index < seated.length;
    return {
      id: newId(),
      clazz_id: it.id,
      student_id,
      status: hasSeat ? 'active' : 'waiting',
      since: hasSeat ? since : now,
      until: null,
    };
  });
  await saveEnrolments(
    session,
    it.id,
    items.map((after) => ({ before: null, after })),
  );
  return { items };
};

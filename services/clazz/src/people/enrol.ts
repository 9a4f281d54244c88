import { type enrolmentCalls, Problem } from '@teaching/contracts';
import { type Handler, type Session } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { placesTaken } from '../record/taken-places.ts';
import { freeInRooms } from '../room/check-rooms.ts';
import { requireStudentsFree } from '../schedule/require-free.ts';
import { checkStudents, freePlaces, placesFor } from './enrolment.rules.ts';
import { newEnrolment } from './new-enrolment.ts';
import { belongingSince, livingEnrolments } from './read-enrolments.ts';
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

/** Enrols all students or none, from `since` on; those without a place wait if that was asked for. */
export const enrol: Handler<typeof enrolmentCalls.enrol> = async ({ path, body }, session) => {
  checkStudents(body.student_ids);
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const now = session.now.toISOString();
  const since = body.since ?? now;
  const [taken, rooms] = await Promise.all([
    placesTaken(session, it.id, since, body.student_ids),
    freeInRooms(session, it.id, since, body.student_ids),
    requireNew(session, it.id, body.student_ids, since),
    lockSchedule(session, { students: body.student_ids }),
  ]);
  const free = { clazz: freePlaces(it.capacity, taken), rooms };
  const { placed } = placesFor(body.student_ids, free, body.waitlist === true);
  if (placed.length > 0) await requireStudentsFree(session, it.id, placed, since);
  const items = body.student_ids.map((student_id, index) =>
    newEnrolment(
      index < placed.length
        ? { clazz_id: it.id, student_id, status: 'active', since }
        : { clazz_id: it.id, student_id, status: 'waiting', since: now },
    ),
  );
  await saveEnrolments(
    session,
    it.id,
    items.map((after) => ({ before: null, after })),
    { reason: body.reason },
  );
  return { items };
};

import { type Clazz, type Enrolment, Problem } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { findStudentConflicts } from '../schedule/find-conflicts.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { placesTaken } from '../record/taken-places.ts';
import { freePlaces } from './enrolment.rules.ts';
import { livingEnrolments } from './read-enrolments.ts';
import { saveEnrolments } from './save-enrolments.ts';

/** 409 `capacity_below_enrolled` when more students, or guests of one lesson, have a place than there would be. */
export const requirePlaces = async (session: Session, clazz_id: string, capacity: number): Promise<void> => {
  const taken = await placesTaken(session, clazz_id, session.now.toISOString());
  if (taken > capacity) {
    throw new Problem('capacity_below_enrolled', { detail: `${taken} places are taken`, members: { taken } });
  }
};

/** Waiting students whose lessons are looked at together. */
const AT_ONCE = 10;

/**
 * Gives free places to waiting students in order. A student whose lessons would clash is passed over and
 * stays first. The class is locked.
 */
export const promoteWaiting = async (session: Session, it: Pick<Clazz, 'id' | 'capacity'>): Promise<void> => {
  const since = session.now.toISOString();
  const [taken, living] = await Promise.all([placesTaken(session, it.id, since), livingEnrolments(session, it.id)]);
  const waiting = living.filter((row) => row.status === 'waiting');
  const free = freePlaces(it.capacity, taken);
  if (free === 0 || waiting.length === 0) return;
  const students = waiting.map((row) => row.student_id);
  await lockSchedule(session, { students });
  const promoted: Enrolment[] = [];
  // Those who come next, and further ones only as long as places are left.
  const some = Math.max(free, AT_ONCE);
  for (let at = 0; at < waiting.length && promoted.length < free; at += some) {
    const next = waiting.slice(at, at + some);
    const conflicts = await findStudentConflicts(
      session,
      it.id,
      next.map((row) => row.student_id),
      since,
    );
    const busy = new Set(conflicts.map((row) => row.student_id));
    promoted.push(...next.filter((row) => !busy.has(row.student_id)).slice(0, free - promoted.length));
  }
  const changes = promoted.map((before) => ({ before, after: { ...before, status: 'active' as const, since } }));
  await saveEnrolments(session, it.id, changes, { reason: 'a seat became free' });
};

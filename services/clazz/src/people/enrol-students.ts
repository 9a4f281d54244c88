import { type Clazz, type Enrolment, type enrolmentCalls, Problem } from '@teaching/contracts';
import { type Handler, newId, type Session } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { takenSeats } from '../record/occupancy.ts';
import { requireListedStudents } from '../record/require-listed-people.ts';
import { freeRoomSeats } from '../record/check-rooms.ts';
import { requireNoStudentClash } from '../schedule/find-conflicts.ts';
import { freeSeats, studentPath, allocateSeats } from './enrolment.rules.ts';
import { promoteIn, reservedSeats } from './promote-waiting.ts';
import { studentsEnrolledSince, openEnrolments, shownEnrolments } from './read-enrolments.ts';
import { saveEnrolments } from './save-enrolments.ts';

export const newEnrolment = (
  it: Pick<Enrolment, 'clazz_id' | 'student_id' | 'since'> & { status: 'active' | 'waiting' },
): Enrolment => ({ id: newId(), ...it, until: null });

/** 409 `duplicate`, naming each student who belongs to the class or waits for it. */
const requireNew = async (session: Session, clazz_id: string, students: readonly string[], since: string) => {
  const [open, members] = await Promise.all([
    openEnrolments(session, clazz_id, students),
    studentsEnrolledSince(session, clazz_id, students, since),
  ]);
  const known = new Set([...open.map((row) => row.student_id), ...members]);
  const errors = students.flatMap((id, index) =>
    known.has(id) ? [{ path: studentPath(index), message: 'is already enrolled' }] : [],
  );
  if (errors.length > 0) throw new Problem('duplicate', { detail: 'Already enrolled', errors });
};

interface EnrolmentRequest {
  student_ids: readonly string[];
  since?: string | null | undefined;
  waitlist?: boolean | null | undefined;
  reason?: string | null | undefined;
}

/** The seats that are free for joining students from `since` on: without their own as guests, and without reserved ones. */
const freeSeatsSince = async (
  session: Session,
  it: Pick<Clazz, 'id' | 'capacity'>,
  since: string,
  joining: readonly string[],
) => {
  const [taken, rooms, reserved] = await Promise.all([
    takenSeats(session, it.id, since, joining),
    freeRoomSeats(session, it.id, since, joining),
    reservedSeats(session, it, since),
  ]);
  return { clazz: freeSeats(it.capacity, taken) - reserved, rooms: rooms - reserved };
};

/**
 * How many of the students, in order, get one of these seats. A guest's own seat is free only if the guest is among them,
 * so the seats are counted again for fewer students.
 */
const countPlaced = async (
  students: readonly string[],
  seats: Awaited<ReturnType<typeof freeSeatsSince>>,
  waitlist: boolean,
  countSeats: (joining: readonly string[]) => ReturnType<typeof freeSeatsSince>,
): Promise<number> => {
  const { placed } = allocateSeats(students, seats, waitlist);
  if (placed.length === students.length) return placed.length;
  return countPlaced(placed, await countSeats(placed), waitlist, countSeats);
};

/**
 * Enrols all students or none, from `since` on. Students without a seat wait if `waitlist` is set.
 * The class must be open and locked, or new. The caller has checked that these students may be named.
 */
export const enrolStudents = async (
  session: Session,
  it: Pick<Clazz, 'id' | 'capacity'>,
  { student_ids, waitlist, reason, ...request }: EnrolmentRequest,
): Promise<Enrolment[]> => {
  const now = session.now.toISOString();
  const since = request.since ?? now;
  const countSeats = (joining: readonly string[]) => freeSeatsSince(session, it, since, joining);
  const [seats] = await Promise.all([
    countSeats(student_ids),
    requireNew(session, it.id, student_ids, since),
    lockSchedule(session, { students: student_ids }),
  ]);
  const placed = await countPlaced(student_ids, seats, waitlist === true, countSeats);
  if (placed > 0) await requireNoStudentClash(session, it.id, student_ids.slice(0, placed), since);
  const items = student_ids.map((student_id, index) =>
    newEnrolment(
      index < placed
        ? { clazz_id: it.id, student_id, status: 'active', since }
        : { clazz_id: it.id, student_id, status: 'waiting', since: now },
    ),
  );
  const changes = items.map((after) => ({ before: null, after }));
  await saveEnrolments(session, it.id, changes, { reason });
  return items;
};

/**
 * Enrols all students or none, from `since` on. Students without a seat wait if `waitlist` is set. Waiting students get
 * free seats first.
 */
export const enrol: Handler<typeof enrolmentCalls.enrolStudents> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  await requireListedStudents(session, body.student_ids, studentPath);
  await promoteIn(session, it, body.student_ids);
  const items = await enrolStudents(session, it, body);
  return { items: await shownEnrolments(session, it, items) };
};

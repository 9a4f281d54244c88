import { type Clazz, type enrolmentCalls, Problem, unknownIds } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { requireManager, requireOpen } from '../record/access.rules.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { namesOf } from '../record/member-names.ts';
import { takenSeats } from '../record/occupancy.ts';
import { requireListedStudents } from '../record/require-listed-people.ts';
import { freeRoomSeats } from '../record/check-rooms.ts';
import { requireNoStudentClash } from '../schedule/find-conflicts.ts';
import { newEnrolment } from './enrol-students.ts';
import { applyStep, freeSeats, allocateSeats } from './enrolment.rules.ts';
import { openEnrolments, requireEnrolment } from './read-enrolments.ts';
import { promoteIn } from './promote-waiting.ts';
import { saveEnrolments } from './save-enrolments.ts';

const refuseUnknownTarget = (error: unknown): never => {
  if (error instanceof Problem && error.code === 'not_found') {
    throw unknownIds([{ path: '/body/to_clazz_id', message: 'does not exist' }]);
  }
  throw error;
};

/** Locks both classes in the order of their ids, so that opposite transfers cannot deadlock. */
const lockBoth = async (session: Session, from_id: string, to_id: string): Promise<[Clazz, Clazz]> => {
  const lockTarget = (): Promise<Clazz> => lockClazz(session, to_id).catch(refuseUnknownTarget);
  if (from_id < to_id) {
    const from = await lockClazz(session, from_id);
    return [from, await lockTarget()];
  }
  const to = await lockTarget();
  return [await lockClazz(session, from_id), to];
};

const requireSeatAndTime = async (session: Session, to: Clazz, student_id: string, leaving: string): Promise<void> => {
  const students = [student_id];
  await requireListedStudents(session, students, () => '/path/student_id');
  await promoteIn(session, to, students);
  await lockSchedule(session, { students });
  const since = session.now.toISOString();
  const [taken, rooms, open] = await Promise.all([
    takenSeats(session, to.id, since, students),
    freeRoomSeats(session, to.id, since, students),
    openEnrolments(session, to.id, students),
  ]);
  if (open.length > 0) throw new Problem('duplicate', 'The student is already enrolled in the other class');
  allocateSeats(students, { clazz: freeSeats(to.capacity, taken), rooms }, false);
  await requireNoStudentClash(session, to.id, students, since, leaving);
};

/** Moves a student to another class from now on. */
export const transferEnrolment: Handler<typeof enrolmentCalls.transferEnrolment> = async ({ path, body }, session) => {
  const [from, to] = await lockBoth(session, path.id, body.to_clazz_id);
  for (const it of [from, to]) {
    requireManager(session.access, it);
    requireOpen(it);
  }
  const before = await requireEnrolment(session, from.id, path.student_id);
  const after = applyStep(before, 'transfer', session.now);
  await requireSeatAndTime(session, to, path.student_id, from.id);
  const since = session.now.toISOString();
  const joined = newEnrolment({ clazz_id: to.id, student_id: path.student_id, status: 'active', since });
  await saveEnrolments(session, from.id, [{ before, after }], { reason: body.reason });
  await saveEnrolments(session, to.id, [{ before: null, after: joined }], { reason: body.reason });
  const nameOf = await namesOf(session, session.org_id, [path.student_id]);
  const student_name = nameOf(path.student_id);
  return { ...joined, clazz_name: to.name, student_name, from: { ...after, clazz_name: from.name, student_name } };
};

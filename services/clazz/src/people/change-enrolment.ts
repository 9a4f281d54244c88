import type { Enrolment, enrolmentCalls } from '@teaching/contracts';
import { always, type Handler, instant, type Session, statement } from '@teaching/kit';
import { restoreBookings } from '../attendance/restore-bookings.ts';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { namesOf } from '../record/names-of.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { requireListedStudents } from '../record/require-listed.ts';
import { requireStudentsFree } from '../schedule/require-free.ts';
import { afterStep, type Step } from './enrolment.rules.ts';
import { requireEnrolment } from './read-enrolments.ts';
import { saveEnrolments } from './save-enrolments.ts';

type Input = { path: { id: string; student_id: string }; body?: { reason?: string | null | undefined } | undefined };

const LEFT = statement(
  `select coalesce(max(upper(during)), '1970-01-01') as at from enrolment_period where org_id = $1 and enrolment_id = $2`,
  { at: always(instant()) },
);
/** When a student last ceased to belong to the class; before everything who had not begun. */
const leftAt = async (session: Session, enrolment_id: string): Promise<string> =>
  (await session.one(LEFT, session.org_id, enrolment_id))?.at ?? session.now.toISOString();

/** One step of one enrolment under the lock of its class. */
const take = async (step: Step, { path, body }: Input, session: Session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const before = await requireEnrolment(session, it.id, path.student_id);
  const after = afterStep(before, step, session.now);
  const suspended_at = step === 'resume' ? await leftAt(session, before.id) : session.now.toISOString();
  const now = session.now.toISOString();
  if (step === 'resume') {
    const students = [path.student_id];
    await Promise.all([
      requireListedStudents(session, students, () => '/path/student_id'),
      lockSchedule(session, { students }),
    ]);
    const since = before.since > now ? before.since : now;
    await requireStudentsFree(session, it.id, students, since);
  }
  await saveEnrolments(session, it.id, [{ before, after }], { reason: body?.reason });
  return { it, after, suspended_at };
};

/** An enrolment as it is answered. */
const named = async (session: Session, it: Enrolment) => {
  const nameOf = await namesOf(session, session.org_id, [it.student_id]);
  return { ...it, student_name: nameOf(it.student_id) };
};

export const suspend: Handler<typeof enrolmentCalls.suspend> = async (input, session) =>
  named(session, (await take('suspend', input, session)).after);

/** Brings back leave and bookings that ended with the suspension, and says what it could not. */
export const resume: Handler<typeof enrolmentCalls.resume> = async (input, session) => {
  const { it, after, suspended_at } = await take('resume', input, session);
  const options = { student_id: after.student_id, reason: input.body?.reason ?? null };
  const not_restored = await restoreBookings(session, it.id, suspended_at, options);
  return { ...(await named(session, after)), not_restored };
};

export const withdraw: Handler<typeof enrolmentCalls.withdraw> = async (input, session) =>
  named(session, (await take('withdraw', input, session)).after);

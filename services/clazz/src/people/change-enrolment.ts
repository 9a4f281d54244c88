import type { enrolmentCalls } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../schedule/lock-schedule.ts';
import { requireStudentsFree } from '../schedule/require-free.ts';
import { afterStep, type Step } from './enrolment.rules.ts';
import { promoteWaiting } from './places.ts';
import { requireEnrolment } from './read-enrolments.ts';
import { saveEnrolments } from './save-enrolments.ts';

type Input = { path: { id: string; student_id: string }; body?: { reason?: string | null | undefined } | undefined };

/** One step of one enrolment under the lock of its class. */
const take = async (step: Step, { path, body }: Input, session: Session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const before = await requireEnrolment(session, it.id, path.student_id);
  const after = afterStep(before, step, session.now);
  if (step === 'resume') {
    const students = [path.student_id];
    await lockSchedule(session, { students });
    await requireStudentsFree(session, it.id, students, session.now.toISOString());
  }
  await saveEnrolments(session, it.id, [{ before, after }], { reason: body?.reason });
  return { it, after };
};

export const suspend: Handler<typeof enrolmentCalls.suspend> = async (input, session) =>
  (await take('suspend', input, session)).after;

export const resume: Handler<typeof enrolmentCalls.resume> = async (input, session) =>
  (await take('resume', input, session)).after;

/** Frees the place for the first waiting student. */
export const withdraw: Handler<typeof enrolmentCalls.withdraw> = async (input, session) => {
  const { it, after } = await take('withdraw', input, session);
  await promoteWaiting(session, it);
  return after;
};

import type { enrolmentCalls, ShownEnrolment } from '@teaching/contracts';
import { notNull, type Handler, instant, type Session, statement } from '@teaching/kit';
import { restoreBookings } from '../attendance/restore-bookings.ts';
import { requireOpen } from '../record/access.rules.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { requireListedStudents } from '../record/require-listed-people.ts';
import { requireNoStudentClash } from '../schedule/find-conflicts.ts';
import { applyStep, type EnrolmentStep } from './enrolment.rules.ts';
import { requireEnrolment, shownEnrolments } from './read-enrolments.ts';
import { saveEnrolments } from './save-enrolments.ts';

type Input = { path: { id: string; student_id: string }; body?: { reason?: string | null | undefined } | undefined };

const LEFT = statement(
  `select coalesce(greatest(left_at,
     (select max(upper(during)) from enrolment_period where org_id = $1 and enrolment_id = $2)), '1970-01-01') as at
   from enrolment where org_id = $1 and id = $2`,
  { at: notNull(instant()) },
);
/** When the membership ended last. Instances of 0.2.0 record only the end of its period, if the enrolment had begun. */
const leftAt = async (session: Session, enrolment_id: string): Promise<string> =>
  (await session.queryOne(LEFT, session.org_id, enrolment_id))?.at ?? session.now.toISOString();

/** Applies one step to an enrolment. The class is locked. */
const changeStatus = async (step: EnrolmentStep, { path, body }: Input, session: Session) => {
  const it = await lockOwnClazz(session, path.id);
  requireOpen(it);
  const before = await requireEnrolment(session, it.id, path.student_id);
  const after = applyStep(before, step, session.now);
  const suspended_at = step === 'resume' ? await leftAt(session, before.id) : session.now.toISOString();
  const now = session.now.toISOString();
  if (step === 'resume') {
    const students = [path.student_id];
    await requireListedStudents(session, students, () => '/path/student_id');
    await lockSchedule(session, { students });
    const since = before.since > now ? before.since : now;
    await requireNoStudentClash(session, it.id, students, since);
  }
  await saveEnrolments(session, it.id, [{ before, after }], { reason: body?.reason });
  return { it, after, suspended_at };
};

type ChangedEnrolment = Awaited<ReturnType<typeof changeStatus>>;

/** The enrolment as answers contain it. */
const shown = async (session: Session, { it, after }: ChangedEnrolment): Promise<ShownEnrolment> => {
  const [enrolment] = await shownEnrolments(session, it, [after]);
  if (enrolment === undefined) throw new Error(`enrolment ${after.id} is missing among the converted enrolments`);
  return enrolment;
};

export const suspendEnrolment: Handler<typeof enrolmentCalls.suspendEnrolment> = async (input, session) =>
  shown(session, await changeStatus('suspend', input, session));

/**
 * Resumes an enrolment and restores the leave and bookings that ended with the suspension. The answer names what is not
 * restored.
 */
export const resumeEnrolment: Handler<typeof enrolmentCalls.resumeEnrolment> = async (input, session) => {
  const resumed = await changeStatus('resume', input, session);
  const options = { student_id: resumed.after.student_id, reason: input.body?.reason ?? null };
  const not_restored = await restoreBookings(session, resumed.it.id, resumed.suspended_at, options);
  return { ...(await shown(session, resumed)), not_restored };
};

export const withdrawEnrolment: Handler<typeof enrolmentCalls.withdrawEnrolment> = async (input, session) =>
  shown(session, await changeStatus('withdraw', input, session));

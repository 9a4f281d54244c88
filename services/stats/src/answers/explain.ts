import { Problem, type statsCalls } from '@teaching/contracts';
import { type Caller, type Handler, isStaff, isSupervisor } from '@teaching/kit';
import type { Subject } from '../records/explained.ts';
import { RECORDS } from '../records/index.ts';
import { rangeAsked, studentAsked, teacherAsked } from './asked.ts';

const refuse = (path: string, message: string): Problem =>
  new Problem('invalid_request', { errors: [{ path: `/query/${path}`, message }] });

/** Whose figure: the one named, else the caller's own; for a supervisor the organization's. */
const subjectOf = (
  caller: Caller,
  asked: { student_id?: string | undefined; teacher_id?: string | undefined; clazz_id?: string | undefined },
): { subject: Subject; id: string | undefined } => {
  const { student_id, teacher_id, clazz_id } = asked;
  if (student_id !== undefined && teacher_id !== undefined) throw refuse('teacher_id', 'excludes student_id');
  if (student_id !== undefined || !isStaff(caller)) {
    if (teacher_id !== undefined) throw new Problem('forbidden', 'Students see their own statistics only');
    return { subject: 'student', id: studentAsked(caller, student_id) };
  }
  if (teacher_id !== undefined) return { subject: 'teacher', id: teacherAsked(caller, teacher_id) };
  if (clazz_id !== undefined) return { subject: 'clazz', id: clazz_id };
  return isSupervisor(caller) ? { subject: 'org', id: undefined } : { subject: 'teacher', id: caller.user_id };
};

const EXPLAINED = new Map(
  RECORDS.flatMap(({ explains = [] }) => explains.map((one) => [`${one.figure} of ${one.subject}`, one] as const)),
);

/** The records behind one figure; what their `counts` add up to is the figure. */
export const explain: Handler<typeof statsCalls.explain> = async ({ query }, session) => {
  const { figure, clazz_id, limit, cursor } = query;
  const { subject, id } = subjectOf(session.caller, query);
  const { range, included } = await rangeAsked({ ...query, unit: 'month' }, session);
  const found = EXPLAINED.get(`${figure} of ${subject}`);
  if (found === undefined) throw refuse('figure', `is not a figure of a ${subject}`);
  const page = await found.page(session, { limit, cursor }, { id, clazz_id, range });
  return { ...page, figure, included };
};

import { HOUR_FIGURES, Problem, type statsCalls } from '@teaching/contracts';
import type { Handler, Session } from '@teaching/kit';
import type { Subject } from '../records/explanation.ts';
import { RECORD_KINDS } from '../records/record-kinds.ts';
import { requestedRange, STUDENT_REFUSAL, TEACHER_REFUSAL } from './stats-request.ts';
import { requireVisibleHours } from './visible-hours.ts';

/**
 * The subject of the requested figure, and its id. Without an id in the request, the subject is the caller; for a
 * supervisor it is the organization.
 */
const subjectOf = (
  { caller, access }: Session,
  query: { student_id?: string | undefined; teacher_id?: string | undefined; clazz_id?: string | undefined },
): { subject: Subject; id: string | undefined } => {
  const { student_id, teacher_id, clazz_id } = query;
  const isStudent = !access.allows({ students: true, self: false });
  if (student_id !== undefined || isStudent) {
    const id = student_id ?? caller.user_id;
    access.requireAccess({ students: true, self: teacher_id === undefined && id }, STUDENT_REFUSAL);
    return { subject: 'student', id };
  }
  if (clazz_id !== undefined && teacher_id === undefined) return { subject: 'clazz', id: clazz_id };
  if (teacher_id === undefined && !access.isLimitedTo('self')) return { subject: 'org', id: undefined };
  const id = teacher_id ?? caller.user_id;
  access.requireAccess({ self: id }, TEACHER_REFUSAL);
  return { subject: 'teacher', id };
};

const EXPLANATIONS = new Map(
  RECORD_KINDS.flatMap(({ explanations = [] }) =>
    explanations.map((it) => [`${it.figure} of ${it.subject}`, it] as const),
  ),
);

/** Lists the records that explain a figure. The sum of their `counts` is the figure. */
export const explainFigure: Handler<typeof statsCalls.explainFigure> = async ({ query }, session) => {
  const { figure, clazz_id, limit, cursor } = query;
  const { subject, id } = subjectOf(session, query);
  const { range, included, acquireHeavySlot } = await requestedRange({ ...query, unit: 'month' }, session);
  const found = EXPLANATIONS.get(`${figure} of ${subject}`);
  if (found === undefined) {
    const errors = [{ path: '/query/figure', message: `is not a figure of a ${subject}` }];
    throw new Problem('invalid_request', { errors });
  }
  if (HOUR_FIGURES.includes(figure)) await requireVisibleHours(session, subject, id);
  await acquireHeavySlot();
  const page = await found.page(session, { limit, cursor }, { id, clazz_id, range });
  return { ...page, figure, included };
};

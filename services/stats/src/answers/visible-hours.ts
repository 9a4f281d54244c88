import { accessCalls, hourCalls, MyLessons, type Output, Problem, type statsCalls } from '@teaching/contracts';
import { nullableColumns, type Session, statement } from '@teaching/kit';
import { CURRENT_GEN } from '../figures/sql-fragments.ts';
import { ENROLMENT } from '../records/enrolment.ts';
import type { Subject } from '../records/explanation.ts';

/** Ids of the students whose hours the caller may see. `all`: all students of the organization. */
export type VisibleAccounts = 'all' | ReadonlySet<string>;

/** Whether the caller may see the hours of this student without being the student's teacher. */
const isOwn = (session: Session, student_id: string): boolean =>
  session.accessIn(hourCalls.getHourAccount).allows({ self: student_id, teacher: false });

/**
 * The students whose hour account the caller may read, by the access rule of `getHourAccount`. For a teacher it
 * requests the teacher's students from the class service. Call it before the first statement of the transaction.
 */
export const visibleAccounts = async (session: Session): Promise<VisibleAccounts> => {
  const reach = session.accessIn(hourCalls.getHourAccount);
  if (reach.allows({ self: false, teacher: false })) return 'all';
  const { user_id } = session.caller;
  const own = isOwn(session, user_id) ? [user_id] : [];
  if (!reach.isLimitedTo('teacher')) return new Set(own);
  // A teacher who is also a guardian may read the accounts of the linked students.
  const { students, children } = await session.peers.call(accessCalls.audience, {});
  return new Set([...own, ...students, ...children]);
};

export const isAccountVisible = (accounts: VisibleAccounts, student_id: string): boolean =>
  accounts === 'all' || accounts.has(student_id);

/** Whether the caller may see the hours of one student. */
export const canSeeHours = async (session: Session, student_id: string): Promise<boolean> =>
  isOwn(session, student_id) || isAccountVisible(await visibleAccounts(session), student_id);

/**
 * All present and former members of a class; if it never had members, its guests. A caller who may see the hours of all
 * of them may see the sums of the class. These sums include the charges of guests, as the roll calls of the class do.
 */
export const READ_CLAZZ_MEMBERS = statement(
  `select student_id from enrolment where org_id = $1 and gen = ${CURRENT_GEN} and clazz_id = $2
   union
   select m.student_id from lesson as l join mark as m on m.org_id = l.org_id and m.gen = l.gen and m.lesson_id = l.id
   where l.org_id = $1 and l.gen = ${CURRENT_GEN} and l.clazz_id = $2
     and not exists (select from enrolment where org_id = $1 and gen = ${CURRENT_GEN} and clazz_id = $2)`,
  nullableColumns(ENROLMENT.pick('student_id').shape),
);

export const areAccountsVisible = (
  accounts: VisibleAccounts,
  members: readonly { student_id: string | null }[],
): boolean => members.every(({ student_id }) => isAccountVisible(accounts, student_id ?? ''));

/**
 * Throws 403 if the caller may not see the hours of the subject. Teachers may see the hours of their own lessons,
 * because the students of these lessons are their own students.
 */
export const requireVisibleHours = async (
  session: Session,
  subject: Subject,
  id: string | undefined,
): Promise<void> => {
  if (id === undefined || subject === 'teacher') return;
  if (subject === 'student') {
    if (await canSeeHours(session, id)) return;
  } else {
    const accounts = await visibleAccounts(session);
    if (accounts === 'all' || areAccountsVisible(accounts, await session.peek(READ_CLAZZ_MEMBERS, session.org_id, id)))
      return;
  }
  throw new Problem('forbidden', 'The caller may not see these hours');
};

/** The `hours` of a student for a caller who may not see them: every figure is null. */
export const HIDDEN_HOURS = Object.fromEntries(
  Object.keys(MyLessons.shape.hours.shape).map((figure) => [figure, null]),
) as Record<keyof Output<typeof statsCalls.getMyLessonStats>['hours'], null>;

/** The totals for a caller. `hours_consumed` is null if the caller may not see the hours. */
export const visibleTotals = <T extends { hours_consumed: string }>(totals: T, seesHours: boolean) =>
  seesHours ? totals : { ...totals, hours_consumed: null };

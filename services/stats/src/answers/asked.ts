import { Problem } from '@teaching/contracts';
import { type Caller, isStaff, isSupervisor, type Session } from '@teaching/kit';
import { rangeOf, type StatsRange } from '../range/range.rules.ts';

/** Rows of more slices than two months have days are many. */
const WIDE = 62;

/** Students see themselves; staff any student of the org. */
export const studentAsked = (caller: Caller, student_id: string | undefined): string => {
  const asked = student_id ?? caller.user_id;
  if (asked !== caller.user_id && !isStaff(caller)) {
    throw new Problem('forbidden', 'Students see their own statistics only');
  }
  return asked;
};

/** Teachers see themselves; supervisors any teacher. */
export const teacherAsked = (caller: Caller, teacher_id: string | undefined): string => {
  const asked = teacher_id ?? caller.user_id;
  if (asked !== caller.user_id && !isSupervisor(caller)) {
    throw new Problem('forbidden', 'Teachers see their own statistics only');
  }
  return asked;
};

/** The range asked about, once what the answer shall include is there, as far as it came in time. */
export const rangeAsked = async (
  query: Parameters<typeof rangeOf>[0],
  session: Session,
): Promise<{ range: StatsRange; included: boolean }> => {
  const range = rangeOf(query, session.now);
  const included = await session.includesWrite();
  if (range.slices.length > WIDE) await session.takeWideTurn();
  return { range, included };
};

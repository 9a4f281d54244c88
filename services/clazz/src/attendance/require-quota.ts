import { type Lesson, Problem } from '@teaching/contracts';
import { nothing, type Session, statement } from '@teaching/kit';
import { LESSON } from '../record/lesson.table.ts';
import { exceedsQuota } from './leave-request.rules.ts';

/** Requests of one student come one after the other, so that the quota cannot be passed in parallel. */
const ONE_BY_ONE = statement("select own_turn($1, 'leave ' || $2)", {
  own_turn: nothing(),
});
const TAKEN = statement(
  `select l.id, l.starts_at from leave v join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where v.org_id = $1 and v.student_id = $2 and v.status in ('pending', 'approved')`,
  LESSON.some('id', 'starts_at').shape,
);

/** Starts of the lessons from which the student has leave, or asks for it, but for these. */
export const takenBeside = async (
  session: Session,
  student_id: string,
  wanted: readonly string[],
): Promise<string[]> => {
  const taken = await session.query(TAKEN, session.org_id, student_id);
  return taken.filter((row) => !wanted.includes(row.id)).map((row) => row.starts_at);
};

/** 409 `leave_quota` when leave from these makes more than `quota` lessons in some 30 days. */
export const requireBelow = (
  taken: readonly string[],
  wanted: readonly Pick<Lesson, 'starts_at'>[],
  quota: number | null,
): void => {
  const starts = wanted.map(({ starts_at }) => starts_at);
  if (exceedsQuota(taken, starts, quota))
    throw new Problem('leave_quota', `At most ${quota} lessons of leave in 30 days`);
};

/** Refuses leave from these lessons when it would be too much in some 30 days. */
export const requireQuota = async (
  session: Session,
  student_id: string,
  wanted: readonly Pick<Lesson, 'id' | 'starts_at'>[],
  quota: number | null,
): Promise<void> => {
  if (quota === null) return;
  session.run(ONE_BY_ONE, session.org_id, student_id);
  const ids = wanted.map(({ id }) => id);
  requireBelow(await takenBeside(session, student_id, ids), wanted, quota);
};

import { Problem } from '@teaching/contracts';
import { nothing, type Session, statement } from '@teaching/kit';
import { LESSON } from '../record/lesson.table.ts';
import { exceedsQuota } from './leave-request.rules.ts';

/** Requests of one student come one after the other, so that the quota cannot be passed in parallel. */
const ONE_BY_ONE = statement("select own_turn($1, 'leave ' || $2)", {
  own_turn: nothing(),
});
const TAKEN = statement(
  `select l.starts_at from leave v join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where v.org_id = $1 and v.student_id = $2 and v.status in ('pending', 'approved')`,
  LESSON.some('starts_at').shape,
);

/** Refuses leave from lessons that begin at `wanted` when it would be too much in some 30 days. */
export const requireQuota = async (
  session: Session,
  student_id: string,
  wanted: readonly string[],
  quota: number | null,
): Promise<void> => {
  if (quota === null) return;
  session.run(ONE_BY_ONE, session.org_id, student_id);
  const taken = await session.query(TAKEN, session.org_id, student_id);
  const starts = taken.map((row) => row.starts_at);
  if (exceedsQuota(starts, wanted, quota)) {
    throw new Problem('leave_quota', `At most ${quota} lessons of leave in 30 days`);
  }
};

import { type Session, statement } from '@teaching/kit';
import { MAYBE_WITH_CREDIT, toLeaveState } from './leave-row.ts';
import { releaseBookings } from './lessons-changed.ts';
import { auditRemovedLeaves, publishLeaveEvents, toRemovedLeave } from './tell-leaves.ts';

const AT = statement(
  `select ${MAYBE_WITH_CREDIT.columns} from leave v
   left join make_up_credit c on c.org_id = v.org_id and c.leave_id = v.id
   where v.org_id = $1 and v.lesson_id = any($2::uuid[]) order by v.requested_at, v.id`,
  MAYBE_WITH_CREDIT.shape,
);
const REMOVE = statement('delete from leave where org_id = $1 and lesson_id = any($2::uuid[])');

/** Removes leave from lessons that are going to be removed, publishes its end at commit and audits it. Students who were to make up there may do so elsewhere. */
export const removeLeaves = async (session: Session, lesson_ids: readonly string[]): Promise<void> => {
  if (lesson_ids.length === 0) return;
  await releaseBookings(session, lesson_ids, 'the class was deleted');
  const leaves = (await session.query(AT, session.org_id, lesson_ids)).map(toLeaveState);
  if (leaves.length === 0) return;
  session.run(REMOVE, session.org_id, lesson_ids);
  session.publishOnCommit(publishLeaveEvents, leaves.map(toRemovedLeave));
  auditRemovedLeaves(session, leaves);
};

import { type Session, statement } from '@teaching/kit';
import { LEAVE } from './leave.table.ts';
import { MAKE_UP_CREDIT } from './make-up-credit.table.ts';
import { type LeaveChange, tellLeaves } from './tell-leaves.ts';

const SAVE_CREDITS = statement(
  `insert into make_up_credit (${MAKE_UP_CREDIT.columns})
   select ${MAKE_UP_CREDIT.columns} from json_populate_recordset(null::make_up_credit, $1)
   on conflict (org_id, leave_id) do update set status = excluded.status, lesson_id = excluded.lesson_id`,
);

/** Stores changed leaves with their credits, and tells. */
export const saveLeaves = (session: Session, changes: readonly LeaveChange[], reason: string | null): void => {
  const { org_id } = session;
  const leaves = changes.map(({ after }) => after);
  session.update(LEAVE, ...leaves.map(({ credit: _apart, ...leave }) => ({ org_id, ...leave })));
  const credits = leaves.flatMap(({ id, student_id, credit }) => {
    if (credit === null) return [];
    const { is_marked: _derived, ...stored } = credit;
    return [{ org_id, leave_id: id, student_id, ...stored }];
  });
  if (credits.length > 0) session.run(SAVE_CREDITS, MAKE_UP_CREDIT.rows(credits));
  tellLeaves(session, changes, reason);
};

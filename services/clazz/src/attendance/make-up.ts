import { type leaveCalls, unknownIds } from '@teaching/contracts';
import { type Handler, statement } from '@teaching/kit';
import { toLeave } from '../cascade/leave-row.ts';
import { saveLeaves } from '../cascade/save-leaves.ts';
import { scheduleConflict } from '../record/conflict.rules.ts';
import { CONFLICT } from '../record/conflict.shape.ts';
import { lockLeave } from './lock-leave.ts';
import { mayMakeUp, noCredit, requireCredit, requirePlace } from './make-up.rules.ts';

/** Lessons at the same time that the student is expected at: enrolled and not on leave, or making up. */
const CLASHES = statement(
  `select 0 as n, l.id as lesson_id, l.clazz_id, l.starts_at, l.ends_at, null as teacher_id, null as room,
     $3 as student_id, l.override
   from lesson w
   join lesson l on l.org_id = w.org_id and l.id <> w.id and l.status <> 'cancelled'
     and l.starts_at < w.ends_at and l.ends_at > w.starts_at and l.starts_at > w.starts_at - interval '24 hours'
   where w.org_id = $1 and w.id = $2
     and (exists (select from lesson_student s where s.org_id = $1 and s.lesson_id = l.id and s.student_id = $3)
       or exists (select from make_up_credit c where c.org_id = $1 and c.lesson_id = l.id and c.student_id = $3))
     and not exists (select from leave v where v.org_id = $1 and v.lesson_id = l.id and v.student_id = $3
       and v.status = 'approved')`,
  CONFLICT,
);

/** Uses the credit of a leave for a lesson; the student is then listed there. */
export const makeUp: Handler<typeof leaveCalls.makeUp> = async ({ path, body }, session) => {
  const now = session.now.toISOString();
  const { leave, others } = await lockLeave(session, path.id, mayMakeUp(session.caller), noCredit, [body.lesson_id]);
  requireCredit(leave, now);
  const [target] = others;
  if (target === undefined) throw unknownIds([{ path: '/body/lesson_id', message: 'does not exist' }]);
  requirePlace(target, leave);
  const clashes = await session.query(CLASHES, session.org_id, target.lesson.id, leave.student_id);
  if (clashes.length > 0) throw scheduleConflict(clashes);
  const { credit } = leave;
  const used = credit && { ...credit, status: 'used' as const, lesson_id: target.lesson.id };
  const after = { ...leave, credit: used, version: leave.version + 1 };
  saveLeaves(session, [{ before: leave, after }], null);
  return toLeave(after, now);
};

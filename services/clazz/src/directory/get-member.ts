import { Acquaintance, type memberCalls, notFound, picking } from '@teaching/contracts';
import { always, type Handler, p, statement } from '@teaching/kit';
import { ownOrStaff } from './member.rules.ts';
import { READ_MEMBER } from './shown.ts';

/** Teachers of the caller or of a child of theirs, with a class or a lesson, at any time; and family, either way round. */
const KNOWS = statement(
  `with taught as (
     select $3 as student_id union select student_id from guardian where org_id = $1 and user_id = $3)
   select exists (select from relation r join taught t using (student_id) where r.org_id = $1 and r.teacher_id = $2)
     or exists (select from lesson_student s join taught t using (student_id)
       join lesson l on l.org_id = s.org_id and l.id = s.lesson_id where s.org_id = $1 and l.teacher_id = $2)
     or exists (select from guardian g where g.org_id = $1 and g.student_id = $2 and g.user_id = $3)
     or exists (select from guardian g where g.org_id = $1 and g.student_id = $3 and g.user_id = $2) as known`,
  { known: always(p.boolean()) },
);
const acquainted = picking(Acquaintance);

/** One person. Whom the caller has nothing to do with is not there for them. */
export const getMember: Handler<typeof memberCalls.getMember> = async ({ path: { user_id } }, session) => {
  const { org_id, caller, reach } = session;
  const seesAll = reach.covers({ self: user_id, acquainted: false });
  const [found, knows] = await Promise.all([
    session.one(READ_MEMBER, org_id, user_id),
    seesAll ? undefined : session.one(KNOWS, org_id, user_id, caller.user_id),
  ]);
  if (found === undefined || !reach.covers({ self: user_id, acquainted: knows?.known })) throw notFound('Member');
  return seesAll ? ownOrStaff(caller, found) : acquainted(found);
};

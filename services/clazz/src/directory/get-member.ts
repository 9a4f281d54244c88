import { p } from '@mikro-orm/postgresql';
import { Acquaintance, type Member, type memberCalls, notFound, picking } from '@teaching/contracts';
import { always, type Caller, type Handler, isStaff, statement } from '@teaching/kit';
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

/** A record as its caller may see it, if they may: staff all of it, people their own but for the note. */
export const ownOrStaff = (caller: Caller, it: Member): Omit<Member, 'note'> & Partial<Pick<Member, 'note'>> => {
  if (isStaff(caller)) return it;
  const { note: _inner, ...own } = it;
  return own;
};

/** One person. Whom the caller has nothing to do with is not there for them. */
export const getMember: Handler<typeof memberCalls.get> = async ({ path: { user_id } }, session) => {
  const { org_id, caller } = session;
  const seesAll = isStaff(caller) || caller.user_id === user_id;
  const [found, knows] = await Promise.all([
    session.one(READ_MEMBER, org_id, user_id),
    seesAll ? { known: true } : session.one(KNOWS, org_id, user_id, caller.user_id),
  ]);
  if (found === undefined || knows?.known !== true) throw notFound('Member');
  return seesAll ? ownOrStaff(caller, found) : acquainted(found);
};

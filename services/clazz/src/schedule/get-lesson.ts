import { type lessonCalls, notFound } from '@teaching/contracts';
import { always, type Handler, p, statement } from '@teaching/kit';
import { auditRead } from '../audit/audit.ts';
import { SHOWN } from '../record/lesson.table.ts';
import { seenBy } from '../record/seen-lesson.rules.ts';

const READ = statement(`select ${SHOWN.columns} from lesson where org_id = $1 and id = $2`, SHOWN.shape);
const IS_IN = statement(
  `select exists (select from lesson l join enrolment e on e.org_id = l.org_id and e.clazz_id = l.clazz_id
     where l.org_id = $1 and l.id = $2 and e.student_id = $3)
   or exists (select from make_up_credit c where c.org_id = $1 and c.lesson_id = $2 and c.student_id = $3) as found`,
  { found: always(p.boolean()) },
);

/** A lesson the caller may read: staff any, students those of the classes they are or were in, or make up in. */
export const getLesson: Handler<typeof lessonCalls.getLesson> = async ({ path }, session) => {
  const { org_id, caller, reach } = session;
  const id = path.lesson_id;
  const [found, own] = await Promise.all([
    session.one(READ, org_id, id),
    reach.goesBy('member') ? session.one(IS_IN, org_id, id, caller.user_id) : undefined,
  ]);
  if (found === undefined || !reach.covers({ member: own?.found })) throw notFound('Lesson');
  auditRead(session, 'lesson', [found.clazz_id], found.id);
  return seenBy(caller)(found);
};

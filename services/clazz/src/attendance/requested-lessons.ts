import { type leaveCalls, type Input, Problem, unknownIds } from '@teaching/contracts';
import { always, p, type Session, statement } from '@teaching/kit';
import { knowsClazzes } from './leave-request.rules.ts';
import { LESSON } from '../record/lesson.table.ts';

/** A range may hold this many lessons. */
const MOST = 500;

/** By the student's classes, whatever the planner thinks of the sizes. */
const IN_RANGE = statement(
  `select l.id from enrolment_period p
   cross join lateral (
     select id from lesson
     where org_id = p.org_id and clazz_id = p.clazz_id and starts_at >= $3 and starts_at < $4 and p.during @> starts_at
       and status = 'scheduled' offset 0
   ) l
   where p.org_id = $1 and p.student_id = $2 and ($5::uuid is null or p.clazz_id = $5) limit ${MOST + 1}`,
  LESSON.some('id').shape,
);
/** A class the student is or was in, as far as the caller may know: for others it is not there. */
const CLAZZ = statement(
  `select exists (select from clazz where org_id = $1 and id = $2) and ($4 or exists (
     select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3)) as found`,
  { found: always(p.boolean()) },
);

const requireClazz = async (
  session: Session,
  student_id: string,
  clazz_id: string | null | undefined,
): Promise<void> => {
  if (clazz_id == null) return;
  const found = await session.one(CLAZZ, session.org_id, clazz_id, student_id, knowsClazzes(session.caller));
  if (found?.found !== true) throw unknownIds([{ path: '/body/clazz_id', message: 'does not exist' }]);
};

/** The one lesson that leave is asked for, or all of the student's that begin in the range. */
export const requestedLessons = async (
  session: Session,
  student_id: string,
  { lesson_id, from, to, clazz_id }: Input<typeof leaveCalls.requestLeave>['body'],
): Promise<string[]> => {
  if (lesson_id != null) return [lesson_id];
  await requireClazz(session, student_id, clazz_id);
  const found = await session.query(IN_RANGE, session.org_id, student_id, from, to, clazz_id ?? null);
  if (found.length > 0 && found.length <= MOST) return found.map((row) => row.id).sort();
  const message =
    found.length === 0 ? 'no lesson of the student begins in this range' : `has more than ${MOST} lessons`;
  throw new Problem('invalid_request', { errors: [{ path: '/body/from', message }] });
};

import { type lessonCalls, Problem } from '@teaching/contracts';
import { type Handler, notNull, p, type Session, statement } from '@teaching/kit';
import { requireOpen } from '../record/access.rules.ts';
import { recordFreedPlaces } from '../record/freed-places.ts';
import { lockOwnClazz } from '../record/load-clazz.ts';
import { ENROLMENT_PERIOD, type LessonRow } from '../record/record.tables.ts';
import { isNewLesson } from './lesson.rules.ts';
import { clazzIdOf, lockLessons } from './load-lesson.ts';
import { removeLessons } from './remove-lessons.ts';

/** Whether one of these lessons has or had a mark, a charge, a leave or a booking. */
const ARE_USED = statement(
  `select exists (
     select from lesson l where l.org_id = $1 and l.id = any($2::uuid[]) and (
       l.booked
       or exists (select from mark_revision m where m.org_id = l.org_id and m.lesson_id = l.id)
       or exists (select from leave v where v.org_id = l.org_id and v.lesson_id = l.id)
       or exists (select from make_up_credit c where c.org_id = l.org_id and c.lesson_id = l.id))) as found`,
  { found: notNull(p.boolean()) },
);

/** 409 `lesson_in_use` unless all these lessons are new and unused (domain rules, section 11). */
const requireRemovable = async (session: Session, lessons: readonly LessonRow[]): Promise<void> => {
  if (!lessons.every((it) => isNewLesson(it, session.now))) {
    throw new Problem('lesson_in_use', 'A lesson can be removed within 10 minutes of its creation, before it begins');
  }
  const ids = lessons.map(({ id }) => id);
  if ((await session.queryOne(ARE_USED, session.org_id, ids))?.found === true) {
    throw new Problem('lesson_in_use', 'The lesson has or had a mark, a charge, a leave or a booking');
  }
};

const STUDENTS = ENROLMENT_PERIOD.pick('student_id');
const STUDENTS_OF = statement(
  `select distinct ${STUDENTS.columns} from enrolment_period where org_id = $1 and clazz_id = $2`,
  STUDENTS.shape,
);
const REMOVE_EMPTY_SERIES = statement(
  `delete from series s where s.org_id = $1 and s.id = $2
     and not exists (select from lesson l where l.org_id = s.org_id and l.series_id = s.id)`,
);

/** Removes a new lesson, or with it the scheduled lessons of its series, as if it had never been created. */
export const deleteLesson: Handler<typeof lessonCalls.deleteLesson> = async ({ path, query }, session) => {
  const { org_id } = session;
  const clazz = await lockOwnClazz(session, await clazzIdOf(session, path.lesson_id));
  const { it, others } = await lockLessons(session, path.lesson_id, query.scope);
  session.checkVersion(it.version);
  requireOpen(clazz);
  const lessons = [it, ...others];
  await requireRemovable(session, lessons);
  removeLessons(session, clazz.id, lessons);
  if (it.series_id !== null) session.run(REMOVE_EMPTY_SERIES, org_id, it.series_id);
  const freed = await session.query(STUDENTS_OF, org_id, clazz.id);
  recordFreedPlaces(session, { clazz_ids: [clazz.id], students: freed.map(({ student_id }) => student_id) });
  return null;
};

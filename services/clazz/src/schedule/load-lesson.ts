import { type Lesson, notFound } from '@teaching/contracts';
import { isStaff, type Session, statement } from '@teaching/kit';

export const LESSON_COLUMNS = `id, org_id, clazz_id, series_id, teacher_id, room, starts_at, ends_at, zone, hours, status,
  cancelled_by, cancel_reason, version, created_at, updated_at`;

const READ = statement<Lesson>(`select ${LESSON_COLUMNS} from lesson where org_id = $1 and id = $2`);
const IS_IN = statement<{ found: boolean }>(
  `select exists (select from lesson l join enrolment e on e.org_id = l.org_id and e.clazz_id = l.clazz_id
     where l.org_id = $1 and l.id = $2 and e.student_id = $3)
   or exists (select from make_up_credit c where c.org_id = $1 and c.lesson_id = $2 and c.student_id = $3) as found`,
);

/** A lesson the caller may read: staff any, students those of the classes they are or were in, or make up in. */
export const readLesson = async (session: Session, id: string): Promise<Lesson> => {
  const { org_id, caller } = session;
  const [found, own] = await Promise.all([
    session.one(READ, org_id, id),
    isStaff(caller) ? { found: true } : session.one(IS_IN, org_id, id, caller.user_id),
  ]);
  if (found === undefined || own?.found !== true) throw notFound('Lesson');
  return found;
};

const CLAZZ_OF = statement<{ clazz_id: string }>('select clazz_id from lesson where org_id = $1 and id = $2');
const LOCK = statement<Lesson>(`select ${LESSON_COLUMNS} from lesson where org_id = $1 and id = $2 for update`);
const LOCK_SERIES = statement<Lesson>(
  `select ${LESSON_COLUMNS} from lesson
   where org_id = $1 and series_id = $2 and starts_at >= $3 and status = 'scheduled' order by starts_at, id for update`,
);

/** The class of a lesson, to be locked before the lesson is. */
export const clazzOf = async (session: Session, lesson_id: string): Promise<string> => {
  const found = await session.one(CLAZZ_OF, session.org_id, lesson_id);
  if (found === undefined) throw notFound('Lesson');
  return found.clazz_id;
};

/**
 * Locks a lesson and, with `following` or `all`, the scheduled lessons of its series. Lessons that were
 * held or cancelled are never touched by an edit of a series.
 */
export const lockLessons = async (
  session: Session,
  lesson_id: string,
  scope: 'this' | 'following' | 'all',
): Promise<{ it: Lesson; others: Lesson[] }> => {
  const it = await session.one(LOCK, session.org_id, lesson_id);
  if (it === undefined) throw notFound('Lesson');
  if (scope === 'this' || it.series_id === null) return { it, others: [] };
  const from = scope === 'all' ? '-infinity' : it.starts_at;
  const rows = await session.query(LOCK_SERIES, session.org_id, it.series_id, from);
  return { it, others: rows.filter((row) => row.id !== it.id) };
};

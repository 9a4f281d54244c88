import { notFound } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { LESSON, type LessonRow } from '../record/lesson.table.ts';

const OF = LESSON.some('clazz_id');
const CLAZZ_OF = statement(`select ${OF.columns} from lesson where org_id = $1 and id = $2`, OF.shape);
const LOCK_SERIES = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and series_id = $2 and starts_at >= $3 and status = 'scheduled' order by starts_at, id for update`,
  LESSON.shape,
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
): Promise<{ it: LessonRow; others: LessonRow[] }> => {
  const it = await session.lock(LESSON, lesson_id);
  if (it === undefined) throw notFound('Lesson');
  if (scope === 'this' || it.series_id === null) return { it, others: [] };
  const from = scope === 'all' ? '-infinity' : it.starts_at;
  const rows = await session.query(LOCK_SERIES, session.org_id, it.series_id, from);
  return { it, others: rows.filter((row) => row.id !== it.id) };
};

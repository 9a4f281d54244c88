import { notFound } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { LESSON, type LessonRow } from '../record/record.tables.ts';
import { SERIES } from './schedule.tables.ts';

const OF = LESSON.pick('clazz_id');
const CLAZZ_OF = statement(`select ${OF.columns} from lesson where org_id = $1 and id = $2`, OF.shape);
const IN_SERIES = `select ${LESSON.columns} from lesson
   where org_id = $1 and series_id = $2 and starts_at >= $3 and status = 'scheduled' order by starts_at, id`;
const READ_SERIES = statement(IN_SERIES, LESSON.shape);
const LOCK_SERIES = statement(`${IN_SERIES} for update`, LESSON.shape);

/** The class of a lesson, which is locked before the lesson. 404 if the lesson does not exist. */
export const clazzIdOf = async (session: Session, lesson_id: string): Promise<string> => {
  const found = await session.queryOne(CLAZZ_OF, session.org_id, lesson_id);
  if (found === undefined) throw notFound('Lesson');
  return found.clazz_id;
};

export type SeriesScope = 'this' | 'following' | 'all';

const TIME = SERIES.pick('start_time');
const SERIES_TIME = statement(`select ${TIME.columns} from series where org_id = $1 and id = $2`, TIME.shape);

interface LoadedLessons {
  it: LessonRow;
  others: LessonRow[];
  /** The local time that the series was created with. Null without others. */
  series_time: string | null;
}

const withSeries = async (
  session: Session,
  it: LessonRow | undefined,
  scope: SeriesScope,
  series: typeof READ_SERIES,
): Promise<LoadedLessons> => {
  if (it === undefined) throw notFound('Lesson');
  if (scope === 'this' || it.series_id === null) return { it, others: [], series_time: null };
  const from = scope === 'all' ? '-infinity' : it.starts_at;
  const [rows, created] = await Promise.all([
    session.query(series, session.org_id, it.series_id, from),
    session.queryOne(SERIES_TIME, session.org_id, it.series_id),
  ]);
  return { it, others: rows.filter((row) => row.id !== it.id), series_time: created?.start_time ?? null };
};

/**
 * Locks a lesson and, with `following` or `all`, the scheduled lessons of its series. An edit of a series never changes
 * held or cancelled lessons.
 */
export const lockLessons = async (session: Session, lesson_id: string, scope: SeriesScope): Promise<LoadedLessons> =>
  withSeries(session, await session.lock(LESSON, lesson_id), scope, LOCK_SERIES);

/** The same lessons without a lock. */
export const readLessons = async (session: Session, lesson_id: string, scope: SeriesScope): Promise<LoadedLessons> =>
  withSeries(session, await session.find(LESSON, lesson_id), scope, READ_SERIES);

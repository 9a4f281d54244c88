import { clazzEvents } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { inParts } from '../audit/in-parts.ts';
import { LESSON, type LessonRow, toLesson } from '../record/lesson.table.ts';

const LOCK = statement(
  `select ${LESSON.columns} from lesson where org_id = $1 and clazz_id = $2 order by starts_at, id for update`,
  LESSON.shape,
);
const REMOVE = statement('delete from lesson where org_id = $1 and clazz_id = $2');

/** All lessons of a class, so that nothing more is hung from them. */
export const lockLessons = (session: Session, clazz_id: string): Promise<LessonRow[]> =>
  session.query(LOCK, session.org_id, clazz_id);

/** Removes all lessons of a class, which are locked, and tells. */
export const removeLessons = (session: Session, clazz_id: string, lessons: readonly LessonRow[]): void => {
  if (lessons.length === 0) return;
  session.run(REMOVE, session.org_id, clazz_id);
  for (const part of inParts(lessons.map(({ id }) => id))) {
    session.emit(clazzEvents.lessonDeleted, clazz_id, { clazz_id, lesson_ids: part });
  }
  const entries = lessons.map((row) => ({
    action: 'delete' as const,
    entity: 'lesson' as const,
    entity_id: row.id,
    about: [row.teacher_id],
    changes: changesOf(toLesson(row), null),
  }));
  audit(session, clazz_id, entries);
};

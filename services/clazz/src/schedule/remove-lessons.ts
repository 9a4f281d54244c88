import { clazzEvents } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { toBatches } from '../audit/event-batches.ts';
import { audit, changesOf } from '../audit/record-audit.ts';
import { type LessonRow, toLesson } from '../record/record.tables.ts';

const REMOVE = statement('delete from lesson where org_id = $1 and id = any($2::uuid[])');

/**
 * Removes locked lessons of a class, and records their deletion as events and in the audit log. They have neither marks
 * nor leave.
 */
export const removeLessons = (session: Session, clazz_id: string, lessons: readonly LessonRow[]): void => {
  if (lessons.length === 0) return;
  const lesson_ids = lessons.map(({ id }) => id);
  session.run(REMOVE, session.org_id, lesson_ids);
  for (const part of toBatches(lesson_ids)) {
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

import type { Session } from '@teaching/kit';
import type { LessonRow } from '../record/lesson.table.ts';
import type { ConflictRow } from '../record/conflict.shape.ts';
import type { LessonEdit } from './edit.rules.ts';
import { findConflicts, type Wanted } from './find-conflicts.ts';

/** What has to be free for an edited lesson: all of it when moved, else only what is new. */
export const wantedBy = ({ before, after, moved }: LessonEdit<LessonRow>): Wanted => ({
  id: before.id,
  starts_at: after.starts_at,
  ends_at: after.ends_at,
  teacher_id: moved || after.teacher_id !== before.teacher_id ? after.teacher_id : null,
  room: moved || after.room !== before.room ? after.room : null,
});

/** Who and what stands in the way of edited lessons of a class where they would be; they are in nobody's way where they are. */
export const conflictsOfEdits = (
  session: Session,
  clazz_id: string,
  edits: readonly LessonEdit<LessonRow>[],
): Promise<ConflictRow[]> =>
  findConflicts(session, clazz_id, edits.map(wantedBy), {
    ignoring: edits.map(({ before }) => before.id),
    students: edits.some(({ moved }) => moved),
  });

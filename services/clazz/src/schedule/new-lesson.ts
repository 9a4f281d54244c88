import { LessonFields, type LessonInput } from '@teaching/contracts';
import { newRecord, type Session } from '@teaching/kit';
import type { LessonRow } from '../record/lesson.table.ts';
import { type FromClazz, standardsOf } from './lesson.rules.ts';

/** A new scheduled lesson; what the request leaves out comes from the class. */
export const newLesson = (
  session: Session,
  it: FromClazz & { id: string },
  fields: LessonInput,
  series_id: string | null = null,
): LessonRow => ({
  ...newRecord(session),
  ...LessonFields.filled(fields, standardsOf(it)),
  clazz_id: it.id,
  series_id,
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  reason_public: false,
  override: false,
});

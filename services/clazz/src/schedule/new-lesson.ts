import { type Clazz, LessonFields, type LessonInput } from '@teaching/contracts';
import { newRecord, type Session } from '@teaching/kit';
import type { LessonRow } from './lesson.table.ts';

/** A new scheduled lesson; what the request leaves out comes from the class. */
export const newLesson = (
  session: Session,
  it: Pick<Clazz, 'id' | 'lead_teacher_id' | 'zone'>,
  fields: LessonInput,
  series_id: string | null = null,
): LessonRow => ({
  ...newRecord(session),
  ...LessonFields.filled(fields, { teacher_id: it.lead_teacher_id, zone: it.zone }),
  clazz_id: it.id,
  series_id,
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  override: false,
});

import { type Lesson, LessonFields } from '@teaching/contracts';
import type { NominalTime } from '../src/schedule/nominal-time.rules.ts';

export type LessonOfSeries = Lesson & NominalTime;

/** A scheduled lesson of a series, without a nominal time of its own. */
export const lessonOfSeries = (
  fields: Pick<Lesson, 'id' | 'starts_at' | 'ends_at' | 'zone'> & Partial<LessonOfSeries>,
): LessonOfSeries => ({
  ...LessonFields.withDefaults(
    { starts_at: fields.starts_at, ends_at: fields.ends_at },
    { teacher_id: 'lead', zone: fields.zone },
  ),
  org_id: 'o',
  clazz_id: 'c',
  series_id: 's',
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  reason_public: false,
  version: 1,
  created_at: '2027-01-01T00:00:00.000Z',
  updated_at: '2027-01-01T00:00:00.000Z',
  nominal_start: null,
  second_occurrence: false,
  ...fields,
});

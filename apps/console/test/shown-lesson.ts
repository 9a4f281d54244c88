import { type lessonCalls, LessonFields, type Output } from '@teaching/contracts';

type ListedLesson = Output<typeof lessonCalls.listLessons>['items'][number];

const HOUR_MS = 3_600_000;
/** The mark counts of a lesson with one student, who has no mark. */
export const ONE_UNMARKED = { present: 0, late: 0, absent: 0, leave: 0, makeup: 0, trial: 0, unmarked: 1 };

/** A lesson of one hour as lists return it, for tests of rules. */
export const shownLesson = (id: string, starts_at: string): ListedLesson => ({
  id,
  org_id: 'org',
  clazz_id: 'clazz',
  clazz_name: 'Algebra',
  series_id: null,
  teacher_name: 'Li',
  ...LessonFields.withDefaults(
    { starts_at, ends_at: new Date(Date.parse(starts_at) + HOUR_MS).toISOString() },
    { teacher_id: 'li', zone: 'UTC' },
  ),
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  reason_public: false,
  version: 1,
  created_at: starts_at,
  updated_at: starts_at,
  enrolled: 0,
  guests: 0,
  capacity: null,
  free: null,
  marks: ONE_UNMARKED,
});

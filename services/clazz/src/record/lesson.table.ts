import { CANCELLERS, Lesson, LESSON_STATUSES } from '@teaching/contracts';
import { hundredths, instant, names, p, type Row, table } from '@teaching/kit';
import { clazzName } from './clazz-name.ts';

export const LESSON = table('lesson', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  clazz_id: p.uuid(),
  series_id: p.uuid().nullable(),
  teacher_id: p.text(),
  room: p.text().nullable(),
  starts_at: instant(),
  ends_at: instant(),
  zone: p.text(),
  hours: hundredths(),
  topic: p.text().nullable(),
  homework: p.text().nullable(),
  status: p.enum(LESSON_STATUSES),
  cancelled_by: p.enum(CANCELLERS).nullable(),
  cancel_reason: p.text().nullable(),
  /** Students see why. */
  reason_public: p.boolean(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  /** Clashes are kept: the constraints do not look at it. */
  override: p.boolean(),
});

const NAMES = names('lesson', 'teacher_id');
const OF_CLAZZ = clazzName('lesson');
/** A lesson as it is read from `lesson`: with names. */
export const SHOWN = {
  columns: `${LESSON.wire(Lesson).of('lesson')}, ${OF_CLAZZ.columns}, ${NAMES.columns}`,
  shape: { ...LESSON.wire(Lesson).shape, ...OF_CLAZZ.shape, ...NAMES.shape },
};

/** A lesson as it is stored. */
export type LessonRow = Row<typeof LESSON>;
/** A lesson as it goes over the wire. */
export const LISTED = LESSON.wire(Lesson);
/** The same of one as it is stored; told to others, too. */
export const toLesson = ({ override: _inner, ...lesson }: LessonRow): Lesson => lesson;

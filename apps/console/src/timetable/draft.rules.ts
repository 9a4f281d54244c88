import { toDecimal } from '../shared/decimal.rules.ts';
import { FORM_TEXTS, type FormText, keysOf } from '../shared/lesson-texts.ts';
import { addDays, instantOf, localOf, weekdayOf } from '../shared/zone.rules.ts';
import type { Lesson } from './timetable.state.ts';

/** The fields of the lesson form. */
export interface Draft {
  clazz: { id: string; name: string } | undefined;
  date: string;
  time: string;
  minutes: number;
  teacher: { id: string; name: string } | undefined;
  room: string | null;
  texts: Readonly<Partial<Record<FormText, string>>>;
  hours: string;
  /** The weekdays on which a new lesson repeats, 1 is Monday; empty for a single lesson. */
  weekdays: readonly number[];
  until: string | undefined;
  count: number;
  scope: 'this' | 'following' | 'all';
  override: boolean;
  skip: boolean;
  reason: string;
}

const WEEKDAY_CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const MINUTE_MS = 60_000;

export const newDraft = (date: string, time: string): Draft => ({
  clazz: undefined,
  teacher: undefined,
  room: null,
  texts: {},
  hours: '1',
  date,
  time,
  minutes: 60,
  weekdays: [],
  until: undefined,
  count: 10,
  scope: 'this',
  override: false,
  skip: false,
  reason: '',
});

export const draftOf = (lesson: Lesson, times: { starts_at: string; ends_at: string }, zone: string): Draft => ({
  ...newDraft(localOf(times.starts_at, zone).date, localOf(times.starts_at, zone).time),
  minutes: Math.round((Date.parse(times.ends_at) - Date.parse(times.starts_at)) / MINUTE_MS),
  clazz: { id: lesson.clazz_id, name: lesson.clazz_name },
  teacher: { id: lesson.teacher_id, name: lesson.teacher_name ?? lesson.teacher_id },
  room: lesson.room,
  texts: Object.fromEntries(keysOf(FORM_TEXTS).map((name) => [name, lesson[name] ?? ''])),
  hours: String(Number(lesson.hours)),
});

/**
 * The start and end of a draft as instants. Undefined while a field is empty or the length is not 1 to 1440 minutes.
 */
export const timesOf = (
  { date, time, minutes }: Pick<Draft, 'date' | 'time' | 'minutes'>,
  zone: string,
): { starts_at: string; ends_at: string } | undefined => {
  if (date === '' || time === '' || !Number.isInteger(minutes) || minutes < 1 || minutes > 1_440) return undefined;
  const start = instantOf({ date, time }, zone);
  return {
    starts_at: new Date(start).toISOString(),
    ends_at: new Date(start + minutes * MINUTE_MS).toISOString(),
  };
};

/** The recurrence rule of a weekly series. The start date need not be on one of these weekdays. */
export const ruleOf = (weekdays: readonly number[]): string =>
  `FREQ=WEEKLY;BYDAY=${weekdays
    .toSorted((a, b) => a - b)
    .map((day) => WEEKDAY_CODES[day - 1] ?? 'MO')
    .join(',')}`;

export const withRepeat = (draft: Draft, repeats: boolean): Draft => ({
  ...draft,
  weekdays: repeats ? [weekdayOf(draft.date)] : [],
});

/** The last day proposed for a series that ends by date: ten weeks later. */
export const defaultSeriesEnd = (date: string): string => addDays(date, 70);

/** The fields of a lesson that the form edits, as the API takes them. */
export type LessonEdit = Pick<Lesson, 'starts_at' | 'ends_at' | 'teacher_id' | 'room' | 'hours' | FormText>;

/** The texts as the API takes them: null instead of an empty text. */
export const textsOf = ({ texts }: Draft): Pick<LessonEdit, FormText> => {
  const entries = keysOf(FORM_TEXTS).map((name) => [name, texts[name]?.trim() || null] as const);
  return Object.fromEntries(entries) as Pick<LessonEdit, FormText>;
};

/** The fields that differ from the lesson. */
export const changesOf = (draft: Draft, lesson: Lesson, zone: string): Partial<LessonEdit> => {
  const times = timesOf(draft, zone);
  const isSame = (a: string, b: string) => Date.parse(a) === Date.parse(b);
  const isMoved =
    times !== undefined && !(isSame(times.starts_at, lesson.starts_at) && isSame(times.ends_at, lesson.ends_at));
  const texts = Object.entries(textsOf(draft)).filter(([name, text]) => text !== lesson[name as FormText]);
  return {
    ...(isMoved ? times : {}),
    ...(draft.teacher === undefined || draft.teacher.id === lesson.teacher_id ? {} : { teacher_id: draft.teacher.id }),
    ...(draft.room === lesson.room ? {} : { room: draft.room }),
    ...Object.fromEntries(texts),
    ...(Number(toDecimal(draft.hours)) === Number(lesson.hours) ? {} : { hours: toDecimal(draft.hours) }),
  };
};

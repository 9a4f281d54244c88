import { useEffect, useState } from 'preact/hooks';
import { readAllRows } from '../shared/row-query.ts';
import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { toDecimal } from '../shared/decimal.rules.ts';
import { collator, orgZone } from '../shared/format.ts';
import { changeLesson, createLesson, createSeries, type NewSeries } from './lesson-actions.ts';
import { checkLesson } from './check-lesson.ts';
import { changesOf, type Draft, ruleOf, textsOf, timesOf } from './draft.rules.ts';
import type { Check, Lesson, Preview } from './timetable.state.ts';

/** The result of checking the form, before it is saved. */
export type CheckState =
  | { state: 'nothing' }
  | { state: 'asking' }
  | { state: 'failed'; error: unknown }
  | { state: 'one'; check: Check }
  | { state: 'series'; preview: Preview };

const PAUSE_MS = 250;

const seriesOf = (draft: Draft): NewSeries => ({
  starts_on: draft.date,
  start_time: draft.time,
  duration_minutes: draft.minutes,
  zone: orgZone(),
  rrule: ruleOf(draft.weekdays),
  ...(draft.until === undefined ? { count: draft.count } : { until: draft.until }),
  ...(draft.teacher === undefined ? {} : { teacher_id: draft.teacher.id }),
  room: draft.room,
  ...textsOf(draft),
  hours: toDecimal(draft.hours),
});

const check = async (draft: Draft, lesson: Lesson | undefined, signal: AbortSignal): Promise<CheckState> => {
  const times = timesOf(draft, orgZone());
  const { clazz, teacher, room, scope } = draft;
  if (clazz === undefined || teacher === undefined || times === undefined) return { state: 'nothing' };
  if (lesson === undefined && draft.weekdays.length > 0) {
    const { data } = await api.previewLessonSeries({ path: { id: clazz.id }, body: seriesOf(draft) }, { signal });
    return { state: 'series', preview: data };
  }
  const changed = lesson === undefined ? {} : { lesson_id: lesson.id, scope };
  return {
    state: 'one',
    check: await checkLesson(clazz.id, { teacher_id: teacher.id, room, ...times, ...changed }, signal),
  };
};

/** Checks the form for conflicts after each pause in editing. */
export const useCheck = (draft: Draft, lesson: Lesson | undefined): CheckState => {
  const [result, setResult] = useState<CheckState>({ state: 'nothing' });
  const { clazz, date, time, minutes, teacher, room, weekdays, until, count, scope } = draft;
  const key = JSON.stringify([clazz?.id, date, time, minutes, teacher?.id, room, weekdays, until, count, scope]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setResult({ state: 'asking' });
    const timer = setTimeout(() => {
      check(draft, lesson, signal).then(
        (checked) => !signal.aborted && setResult(checked),
        (error: unknown) => !signal.aborted && setResult({ state: 'failed', error }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return result;
};

/** A room of the form. */
export interface RoomChoice {
  name: string;
  /** Whether another lesson takes place there at one of the times of the form. Undefined while this is not known. */
  isTaken: boolean | undefined;
  /** Whether the room is too small, as far as the needed seats are known. */
  isTooSmall: boolean;
}

/** All rooms, those that are taken last. */
export const useRooms = (draft: Draft, seen: CheckState): RoomChoice[] => {
  const all = useQuery('rooms', () => readAllRows((page) => api.listRooms({ query: page })), { kinds: ['room'] });
  const checked = seen.state === 'one' ? seen.check : seen.state === 'series' ? seen.preview : undefined;
  const rooms = (all.data.value ?? []).map(({ name, capacity }) => ({ name, capacity }));
  if (draft.room !== null && !rooms.some(({ name }) => name === draft.room))
    rooms.push({ name: draft.room, capacity: null });
  return rooms
    .map(({ name, capacity }) => ({
      name,
      isTaken: checked?.taken_rooms.includes(name),
      isTooSmall: checked?.too_small != null && capacity !== null && capacity < checked.too_small.taken,
    }))
    .toSorted((a, b) => Number(a.isTaken ?? false) - Number(b.isTaken ?? false) || collator().compare(a.name, b.name));
};

/** The lead teacher of a class, for a new lesson of it. */
export const readLeadTeacher = async (clazz_id: string): Promise<{ id: string; name: string }> => {
  const { data } = await api.getClazz({ path: { id: clazz_id } });
  return { id: data.lead_teacher_id, name: data.lead_teacher_name ?? data.lead_teacher_id };
};

/** Saves the form. It throws what the API refuses. */
export const saveDraft = async (draft: Draft, lesson: Lesson | undefined): Promise<void> => {
  const { clazz, teacher, room, scope, reason, skip } = draft;
  const times = timesOf(draft, orgZone());
  if (clazz === undefined || teacher === undefined || times === undefined) return;
  const reasonField = reason.trim() === '' ? {} : { reason: reason.trim() };
  const common = { ...reasonField, ...(draft.override ? { override: true } : {}) };
  if (lesson !== undefined) {
    const changes = changesOf(draft, lesson, orgZone());
    if (Object.keys(changes).length > 0) await changeLesson(lesson, changes, { scope, ...common });
  } else if (draft.weekdays.length > 0) {
    await createSeries(clazz.id, { ...seriesOf(draft), ...common, ...(skip ? { skip_conflicts: true } : {}) });
  } else {
    const body = {
      ...times,
      teacher_id: teacher.id,
      room,
      hours: toDecimal(draft.hours),
      ...textsOf(draft),
      ...common,
    };
    await createLesson(clazz.id, body);
  }
};

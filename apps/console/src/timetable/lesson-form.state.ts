import { useEffect, useState } from 'preact/hooks';
import { readAllRows } from '../shared/row-query.ts';
import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { orgZone } from '../shared/format.ts';
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
  hours: draft.hours,
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
    // A lesson that was held is not checked: its time does not change.
    if (lesson !== undefined && lesson.status !== 'scheduled') return undefined;
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

/** All rooms, and which of them are free at the time of the form. The lesson itself does not occupy a room. */
export const useRooms = (draft: Draft, lesson: Lesson | undefined) => {
  const times = timesOf(draft, orgZone());
  const all = useQuery('rooms', () => readAllRows((page) => api.listRooms({ query: page })), { kinds: ['room'] });
  const free = useQuery(
    times === undefined ? null : `free rooms ${JSON.stringify(times)}`,
    () =>
      readAllRows((page) =>
        api.listFreeRooms({ query: { from: times?.starts_at ?? '', to: times?.ends_at ?? '', ...page } }),
      ),
    { kinds: ['room', 'lesson'] },
  );
  const names = (all.data.value ?? []).map(({ name }) => name);
  const isFree = new Set((free.data.value ?? []).map(({ name }) => name));
  if (lesson?.room != null && times !== undefined && overlapping(lesson, times)) isFree.add(lesson.room);
  const known = draft.room === null || names.includes(draft.room) ? names : [...names, draft.room];
  return { free: known.filter((name) => isFree.has(name)), taken: known.filter((name) => !isFree.has(name)) };
};

const overlapping = (a: { starts_at: string; ends_at: string }, b: { starts_at: string; ends_at: string }): boolean =>
  Date.parse(a.starts_at) < Date.parse(b.ends_at) && Date.parse(b.starts_at) < Date.parse(a.ends_at);

/** The lead teacher of a class, for a new lesson of it. */
export const readLeadTeacher = async (clazz_id: string): Promise<{ id: string; name: string }> => {
  const { data } = await api.getClazz({ path: { id: clazz_id } });
  return { id: data.lead_teacher_id, name: data.lead_teacher_name ?? data.lead_teacher_id };
};

/** Saves the form. It throws what the API refuses. */
export const saveDraft = async (draft: Draft, lesson: Lesson | undefined): Promise<void> => {
  const { clazz, teacher, room, hours, scope, reason, skip } = draft;
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
    await createLesson(clazz.id, { ...times, teacher_id: teacher.id, room, hours, ...textsOf(draft), ...common });
  }
};

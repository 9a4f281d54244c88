import { computed, signal } from '@preact/signals';
import type { Output, lessonCalls, seriesCalls } from '@teaching/contracts';
import { useAddress } from '../shared/address.ts';
import { readAllRows } from '../shared/row-query.ts';
import { api } from '../shared/api.ts';
import { type QueryState, useQuery } from '../shared/query.ts';
import { now } from '../shared/clock.ts';
import { orgZone } from '../shared/format.ts';
import { type ConflictsByLesson, conflictsByLesson } from './lesson.rules.ts';
import { addDays, dateFrom, localOf, mondayOf, rangeOf } from '../shared/zone.rules.ts';

export type Lesson = Output<typeof lessonCalls.listLessons>['items'][number];
export type Check = Output<typeof lessonCalls.checkLesson>;
export type Preview = Output<typeof seriesCalls.previewLessonSeries>;
export type Scope = 'this' | 'following' | 'all';

/** The filters of lessons. */
export const FILTER_KINDS = ['teacher', 'room', 'clazz', 'student'] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];
export const NO_FILTERS = { teacher: null, room: null, clazz: null, student: null } as const satisfies Record<
  FilterKind,
  null
>;
/** The chosen filters: an id, or the name of a room. */
export type ChosenFilters = Readonly<Partial<Record<FilterKind, string>>>;

// Paper shows the week, however narrow it is.
const phoneQuery = matchMedia('screen and (width < 52rem)');
const isPhone = signal(phoneQuery.matches);
phoneQuery.addEventListener('change', ({ matches }) => {
  isPhone.value = matches;
});

export const today = computed(() => localOf(now.value, orgZone()).date);

/** The view that the address describes. A phone always shows one day. */
export const useView = () => {
  const { query, put } = useAddress();
  const date = dateFrom(query['date'], today.value);
  const monday = mondayOf(date);
  const week = Array.from({ length: 7 }, (_none, at) => addDays(monday, at));
  const isDay = isPhone.value || query['view'] === 'day';
  const chosen: ChosenFilters = Object.fromEntries(
    FILTER_KINDS.flatMap((kind) => (query[kind] === undefined ? [] : [[kind, query[kind]]])),
  );
  const colour = query['colour'] === 'teacher' ? ('teacher' as const) : ('class' as const);
  return {
    date,
    monday,
    week,
    isDay,
    isPhone: isPhone.value,
    chosen,
    isFiltered: Object.keys(chosen).length > 0,
    colour,
    put,
    days: isDay ? [date] : week,
    opened: query['lesson'],
  };
};
export type View = ReturnType<typeof useView>;

/** All lessons of a week that match the filters. */
export const useWeek = (monday: string, chosen: ChosenFilters): QueryState<readonly Lesson[]> => {
  const { from, to } = rangeOf(monday, 7, orgZone());
  const { teacher, room, clazz, student } = chosen;
  const query = {
    from,
    to,
    ...(teacher === undefined ? {} : { teacher_id: teacher }),
    ...(room === undefined ? {} : { room }),
    ...(clazz === undefined ? {} : { clazz_id: clazz }),
    ...(student === undefined ? {} : { student_id: student }),
  };
  return useQuery<readonly Lesson[]>(
    `timetable ${JSON.stringify(query)}`,
    (abort) => readAllRows((page) => api.listLessons({ query: { ...query, ...page } }, { signal: abort })),
    { kinds: ['lesson', 'roll_call', 'enrolment', 'leave', 'clazz', 'member', 'room'] },
  );
};

/** The accepted conflicts of a week's lessons, by lesson. */
export const useConflicts = (monday: string): QueryState<ConflictsByLesson> => {
  // A lesson of the week may overlap one that begins just outside of it.
  const { from, to } = rangeOf(addDays(monday, -1), 9, orgZone());
  return useQuery<ConflictsByLesson>(
    `conflicts ${from} ${to}`,
    async (abort) =>
      conflictsByLesson(
        await readAllRows((page) => api.listLessonClashes({ query: { from, to, ...page } }, { signal: abort })),
      ),
    { kinds: ['lesson', 'clazz', 'member', 'room'] },
  );
};

/** The names of holidays by date. */
export const useHolidays = () =>
  useQuery(
    'holidays',
    async (abort) => {
      const { data } = await api.listHolidays({}, { signal: abort });
      return new Map(data.holidays.map(({ date, name }) => [date, name]));
    },
    { kinds: ['lesson'] },
  );

/** The dialog above the grid. */
export type DialogState =
  | { what: 'new'; date: string; minutes: number }
  | { what: 'edit'; lesson: Lesson; times?: { starts_at: string; ends_at: string } }
  | { what: 'cancel'; lesson: Lesson }
  | { what: 'restore'; lesson: Lesson }
  | { what: 'substitute'; lesson: Lesson };
export const dialogState = signal<DialogState | undefined>(undefined);

/** The text that screen readers announce. */
export const announcement = signal('');

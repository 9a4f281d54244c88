import type { LoadName } from '../bench/site/data.ts';

/** A kind of request that sizes are made of, and how it is measured. */
interface Kind {
  /** As tables have it. */
  about: string;
  /** The load of `npm run bench` that makes it. */
  load: LoadName;
  /** Requests a second while its CPU is measured: about half of what two cores do, so that neither waiting nor idling counts. */
  rate: number;
  /** How many are done while its bytes are measured; nothing for what stores nothing. */
  stored?: number;
}

const ALL = {
  my_week: { about: "a student's week of lessons", load: 'my-week', rate: 300, stored: 3_000 },
  class: { about: 'the 30 students of a class', load: 'clazz-students', rate: 200, stored: 3_000 },
  timetable: { about: 'a week of 100 lessons across classes', load: 'timetable', rate: 60, stored: 1_000 },
  my_figures: { about: "a student's statistics of a month", load: 'my-lessons', rate: 150 },
  teacher_figures: { about: "a teacher's statistics of a month", load: 'teacher-detail', rate: 80 },
  package: { about: 'the 20 items of a package', load: 'w1', rate: 400 },
  search: { about: 'a search in packages', load: 'w3', rate: 200 },
  edit_package: { about: 'an edit of 20 items of a package', load: 'w2', rate: 100, stored: 3_000 },
  change: { about: 'a change of a class', load: 'lag', rate: 120, stored: 3_000 },
  roll_call: { about: 'a roll call of 30, in statistics', load: 'roll-call', rate: 40, stored: 400 },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof ALL;
export const KINDS: Readonly<Record<KindName, Kind>> = ALL;
export const KIND_NAMES: readonly KindName[] = Object.keys(ALL).filter((name): name is KindName => name in ALL);

/** What is not asked by somebody each day but made once: its bytes count, its CPU is lost in that of the day's requests. */
export const MADE = {
  lesson: 'a lesson planned, in a series',
  enrolment: 'a student enrolled, with a grant of hours',
} as const;
export type MadeName = keyof typeof MADE;

/** Processes that may run as often as one likes; those but the gateway are services, with connections to Postgres. */
export const SERVICES = ['clazz', 'course', 'package', 'stats'] as const;
export const PROCESSES = ['gateway', ...SERVICES] as const;

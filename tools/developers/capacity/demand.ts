import { KIND_NAMES, type KindName, type MadeName, recordOf } from './figures.ts';

/** Assumptions beside the measured figures; each can be replaced by a flag. */
interface Assumption {
  value: number;
  about: string;
}

const ALL = {
  students: { value: 300, about: 'students of an organization' },
  lessons: { value: 5, about: 'lessons a week of a student' },
  class_size: { value: 25, about: 'students of a class' },
  students_per_teacher: { value: 15, about: 'students for each teacher' },
  students_per_office: { value: 100, about: 'students for each person of the office' },
  student_weeks: { value: 2, about: 'views of the week by a student with guardians, a day' },
  student_packages: { value: 0.3, about: 'views of a package by a student, a day' },
  student_figures: { value: 0.2, about: 'views of own statistics by a student, a day' },
  teacher_weeks: { value: 4, about: 'views of the week by a teacher, a day' },
  teacher_classes: { value: 4, about: 'views of a class by a teacher, a day' },
  teacher_figures: { value: 0.5, about: 'views of statistics by a teacher, a day' },
  teacher_changes: { value: 2, about: 'writes of a teacher beside roll calls (leave, marks, notes), a day' },
  office_timetables: { value: 15, about: 'views of the week of all classes by a person of the office, a day' },
  office_searches: { value: 10, about: 'searches of a person of the office, a day' },
  office_changes: { value: 20, about: 'writes of a person of the office, a day' },
  office_edits: { value: 1, about: 'edits of a package by a person of the office, a day' },
  enrolments: { value: 4, about: 'enrolments with a grant of hours of a student, a year' },
  days: { value: 5, about: 'days with lessons, a week' },
  weeks: { value: 44, about: 'weeks with lessons, a year' },
  peak_share: {
    value: 0.2,
    about: "share of a day's requests in its busiest hour, the same hour for all organizations",
  },
  burst: { value: 3, about: 'how many times the average of that hour its busiest minute is' },
  years: { value: 3, about: 'years of data that the disk is to hold' },
  utilisation: { value: 0.6, about: 'share of a core that is planned to be busy at the peak' },
  room: { value: 1.3, about: 'how much more room tables take than their rows and indexes when they were just written' },
  postgres_cores: { value: 16, about: 'cores of the largest machine for one Postgres' },
  postgres_disk_tb: { value: 4, about: 'terabytes of the largest disk for one Postgres' },
  postgres_wal_mb: { value: 100, about: "megabytes a second that disk, archive and replicas take of Postgres' log" },
  max_connections: { value: 550, about: 'connections that one Postgres takes, as in overlays/large' },
  stream_gb: { value: 1, about: 'gigabytes that a stream of the broker may grow to (STREAM_MAX_BYTES)' },
  backups: { value: 7, about: 'stored base backups, one a day, with the log between them' },
} as const satisfies Record<string, Assumption>;

type Name = keyof typeof ALL;
export type Profile = Readonly<Record<Name, number>>;
export const ASSUMPTIONS: Readonly<Record<Name, Assumption>> = ALL;
export const NAMES: readonly Name[] = Object.keys(ALL).filter((name): name is Name => name in ALL);

/** The assumptions, but for those that are replaced. */
export const profileWith = (replaced: Partial<Profile> = {}): Profile =>
  recordOf(NAMES, (name) => replaced[name] ?? ASSUMPTIONS[name].value);

/** The demand of one organization. */
export interface Demand {
  /** Requests on a day with lessons. */
  day: Record<KindName, number>;
  /** Requests a second in the busiest minute. */
  peak: Record<KindName, number>;
  /** Made in a year. */
  made: Record<MadeName, number>;
  schoolDays: number;
}

/** Students of the measured roll call. */
const MEASURED_CLASS = 30;

export const demandOf = (it: Profile): Demand => {
  const { students } = it;
  const teachers = students / it.students_per_teacher;
  const office = students / it.students_per_office;
  const lessons = (students * it.lessons) / it.class_size / it.days;
  const day: Demand['day'] = {
    my_week: students * it.student_weeks + teachers * it.teacher_weeks,
    class: teachers * it.teacher_classes,
    timetable: office * it.office_timetables,
    my_figures: students * it.student_figures,
    teacher_figures: teachers * it.teacher_figures,
    package: students * it.student_packages,
    search: office * it.office_searches,
    edit_package: office * it.office_edits,
    change: teachers * it.teacher_changes + office * it.office_changes,
    // A larger class counts as more than one; a smaller one as one, which is more than it costs.
    roll_call: lessons * Math.max(1, it.class_size / MEASURED_CLASS),
  };
  const aSecond = (it.peak_share * it.burst) / 3_600;
  const schoolDays = it.days * it.weeks;
  return {
    day,
    peak: recordOf(KIND_NAMES, (kind) => day[kind] * aSecond),
    made: { lesson: lessons * schoolDays, enrolment: students * it.enrolments },
    schoolDays,
  };
};

import { KIND_NAMES, type KindName, type MadeName } from './kinds.ts';
import type { Profile } from './profile.ts';
import { recordOf } from './records.ts';

/** What one organization asks for. */
export interface Demand {
  /** Requests on a day with lessons. */
  day: Record<KindName, number>;
  /** Requests a second in the busiest minute. */
  peak: Record<KindName, number>;
  /** Made in a year. */
  made: Record<MadeName, number>;
  schoolDays: number;
}

/** Students whose roll call was measured. */
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

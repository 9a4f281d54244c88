import type { Tally } from './tally.rules.ts';

/** Numbers of marks, and of seats without a mark. */
interface Seats {
  present: number;
  late: number;
  absent: number;
  /** Seats without a mark at lessons that are not cancelled: future lessons, and past lessons without a roll call. */
  unmarked: number;
}

interface Attendance {
  numerator: number;
  denominator: number;
  rate: number | null;
  still_attainable_rate: number | null;
  still_attainable_numerator: number;
  still_attainable_denominator: number;
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** The attendance rate of the marked seats, and the rate if every unmarked seat becomes present. */
export const attendanceOf = ({ present, late, absent, unmarked }: Seats): Attendance => {
  const numerator = present + late;
  const denominator = numerator + absent;
  return {
    numerator,
    denominator,
    rate: ratio(numerator, denominator),
    still_attainable_rate: ratio(numerator + unmarked, denominator + unmarked),
    still_attainable_numerator: numerator + unmarked,
    still_attainable_denominator: denominator + unmarked,
  };
};

/** SQL of the duration of a marking, in whole seconds. */
export const markingSeconds = (marking: string): string =>
  `extract(epoch from ${marking}.marked_at - ${marking}.submitted_at)::bigint`;

/** Total and average duration of markings, in seconds. The average is null without markings. */
export const turnaroundOf = ({ markings, marking_seconds: seconds }: Tally<'markings' | 'marking_seconds'>) => ({
  seconds,
  markings,
  average_seconds: markings === 0 ? null : seconds / markings,
});

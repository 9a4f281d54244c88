import type { Tally } from './tally.rules.ts';

/** Marks and seats without a mark, summed over whatever is asked about. */
interface Seats {
  present: number;
  late: number;
  absent: number;
  /** Seats at lessons that are not cancelled and have no mark yet: future ones, and past without roll call. */
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

/** Attendance over held lessons, and what it can still become if everybody comes to all that is left. */
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

/** SQL of how long a marking took, in whole seconds. */
export const secondsOfMarking = (marking: string): string =>
  `extract(epoch from ${marking}.marked_at - ${marking}.submitted_at)::bigint`;

/** How long markings took together and on average, which nobody knows of none. */
export const turnaroundOf = ({ markings, marking_seconds: seconds }: Tally<'markings' | 'marking_seconds'>) => ({
  seconds,
  markings,
  average_seconds: markings === 0 ? null : seconds / markings,
});

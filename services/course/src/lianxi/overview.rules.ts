import { fromHundredths, sumOf, toHundredths } from '@teaching/contracts';

/** `hundredths` divided by `count`, rounded half up to a hundredth of a point. */
const divide = (hundredths: number, count: number): string =>
  fromHundredths(Math.floor((2 * hundredths + count) / (2 * count)));

/** The mean of the scores, rounded half up to two decimals. Null without scores. */
export const meanOf = (scores: readonly string[]): string | null =>
  scores.length === 0 ? null : divide(toHundredths(sumOf(scores)), scores.length);

/** The median of the scores: the middle one, or the mean of the two middle ones. Null without scores. */
export const medianOf = (scores: readonly string[]): string | null => {
  const sorted = scores.toSorted((a, b) => toHundredths(a) - toHundredths(b));
  const half = Math.floor((sorted.length - 1) / 2);
  return meanOf(sorted.slice(half, sorted.length - half));
};

/** The assigned students without an attempt. */
export const studentsWithoutAttempt = (
  assigned: readonly string[],
  latest: readonly { student_id: string }[],
): string[] => {
  const submitters = new Set(latest.map(({ student_id }) => student_id));
  return assigned.filter((student_id) => !submitters.has(student_id));
};

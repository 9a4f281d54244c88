import { fromHundredths, sumOf, toHundredths } from '@teaching/contracts';

/** Half up: a hundredth of a point is the smallest there is. */
const shareOut = (hundredths: number, among: number): string =>
  fromHundredths(Math.floor((2 * hundredths + among) / (2 * among)));

/** The mean of some scores, rounded half up; null of none. */
export const meanOf = (scores: readonly string[]): string | null =>
  scores.length === 0 ? null : shareOut(toHundredths(sumOf(scores)), scores.length);

/** The one in the middle, or the mean of the two there; null of none. */
export const medianOf = (scores: readonly string[]): string | null => {
  const sorted = scores.toSorted((a, b) => toHundredths(a) - toHundredths(b));
  const half = Math.floor((sorted.length - 1) / 2);
  return meanOf(sorted.slice(half, sorted.length - half));
};

/** The assigned students without an attempt. */
export const missingOf = (assigned: readonly string[], latest: readonly { student_id: string }[]): string[] => {
  const there = new Set(latest.map(({ student_id }) => student_id));
  return assigned.filter((student_id) => !there.has(student_id));
};

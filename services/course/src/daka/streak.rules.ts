import type { Streak } from '@teaching/contracts';

/**
 * The streaks of one student over the days of a plan. `planned` is in ascending order. Days that are not in `planned`
 * neither count nor break a streak, nor does today before its check-in. Check-ins on other days are ignored.
 */
export const streakOf = (planned: readonly string[], checkedIn: ReadonlySet<string>, today: string): Streak => {
  let current = 0;
  let longest = 0;
  let days = 0;
  let done = 0;
  for (const day of planned) {
    const isDone = checkedIn.has(day);
    if (day > today) break;
    if (day === today && !isDone) break;
    days += 1;
    done += isDone ? 1 : 0;
    current = isDone ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return { current, longest, rate: days === 0 ? null : done / days, planned: days, done };
};

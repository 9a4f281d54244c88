import type { Lesson } from '@teaching/contracts';

type Times = Pick<Lesson, 'id' | 'starts_at' | 'ends_at'>;
const overlap = (a: Times, b: Times): boolean => a.starts_at < b.ends_at && a.ends_at > b.starts_at;

/**
 * Assigns to each lesson its best option without another assigned lesson at that time. `options` are best first. A
 * lesson without a free option is left out.
 */
export const assignTeachers = (
  lessons: readonly Times[],
  options: ReadonlyMap<string, readonly string[]>,
): Map<string, string> => {
  const lessonsOf = new Map<string, Times[]>();
  const assigned = new Map<string, string>();
  for (const lesson of lessons) {
    const isFree = (teacher: string): boolean =>
      !(lessonsOf.get(teacher) ?? []).some((other) => overlap(other, lesson));
    const teacher = options.get(lesson.id)?.find(isFree);
    if (teacher === undefined) continue;
    lessonsOf.set(teacher, [...(lessonsOf.get(teacher) ?? []), lesson]);
    assigned.set(lesson.id, teacher);
  }
  return assigned;
};

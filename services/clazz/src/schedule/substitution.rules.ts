import type { Lesson } from '@teaching/contracts';

type Times = Pick<Lesson, 'id' | 'starts_at' | 'ends_at'>;
const overlap = (a: Times, b: Times): boolean => a.starts_at < b.ends_at && a.ends_at > b.starts_at;

/**
 * A teacher for each lesson: the best of its options (the best first) who was not given another lesson at that time. A
 * lesson without one is left out.
 */
export const assignTeachers = (
  lessons: readonly Times[],
  options: ReadonlyMap<string, readonly string[]>,
): Map<string, string> => {
  const given = new Map<string, Times[]>();
  const assigned = new Map<string, string>();
  for (const lesson of lessons) {
    const isFree = (teacher: string): boolean => !(given.get(teacher) ?? []).some((other) => overlap(other, lesson));
    const teacher = options.get(lesson.id)?.find(isFree);
    if (teacher === undefined) continue;
    given.set(teacher, [...(given.get(teacher) ?? []), lesson]);
    assigned.set(lesson.id, teacher);
  }
  return assigned;
};

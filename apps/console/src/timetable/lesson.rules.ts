import type { ClashingLesson, Conflict } from '@teaching/contracts';

/** Rules of the small signs on a lesson block. */

interface Marks {
  present: number;
  late: number;
  absent: number;
  leave: number;
  makeup: number;
  trial: number;
  unmarked: number;
}
interface LessonState {
  status: 'scheduled' | 'held' | 'cancelled';
  ends_at: string;
  enrolled: number;
  guests: number;
  capacity: number | null;
  free: number | null;
  marks: Marks;
}

export type RollCall = 'missing' | 'incomplete' | 'done';

/** The state of the roll call after the lesson. Undefined before its end, and if no student is expected. */
export const rollCallOf = ({ status, ends_at, marks }: LessonState, now: number): RollCall | undefined => {
  if (status === 'cancelled') return undefined;
  const { unmarked, ...marked } = marks;
  const hasMarks = Object.values(marked).some((count) => count > 0);
  if (unmarked > 0 && hasMarks) return 'incomplete';
  if (hasMarks) return 'done';
  return unmarked > 0 && Date.parse(ends_at) <= now ? 'missing' : undefined;
};

/** The number of lessons that take place. */
export const lessonCount = (lessons: readonly Pick<LessonState, 'status'>[]): number =>
  lessons.filter(({ status }) => status !== 'cancelled').length;

/** The number of taken places and the capacity. Suspended students keep their place. */
export const placesOf = ({
  enrolled,
  guests,
  capacity,
  free,
}: LessonState): { taken: number; of: number | null; isFull: boolean } =>
  capacity === null || free === null
    ? { taken: enrolled + guests, of: null, isFull: false }
    : { taken: Math.max(enrolled + guests, capacity - free), of: capacity, isFull: free === 0 };

export type ConflictsByLesson = ReadonlyMap<string, readonly Conflict[]>;

/** The accepted conflicts by lesson. Each of the two lessons has the other, whichever was accepted. */
export const conflictsByLesson = (rows: readonly ClashingLesson[]): Map<string, Conflict[]> => {
  const pairs = rows.flatMap(({ conflicts, id, clazz_id, clazz_name, starts_at, ends_at }) =>
    conflicts.flatMap((conflict): [string, Conflict][] => [
      [id, conflict],
      [conflict.lesson_id, { ...conflict, lesson_id: id, clazz_id, clazz_name, starts_at, ends_at }],
    ]),
  );
  const found = new Map<string, Conflict[]>();
  for (const [id, conflict] of pairs) {
    const known = found.get(id) ?? [];
    if (!known.some(({ lesson_id }) => lesson_id === conflict.lesson_id)) found.set(id, [...known, conflict]);
  }
  return found;
};

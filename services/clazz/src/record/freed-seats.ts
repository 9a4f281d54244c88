import type { Session } from '@teaching/kit';

/** The seats and times that a transaction freed. */
interface FreedSeats {
  /** Classes with free seats. */
  clazz_ids: Set<string>;
  /** Lessons that were moved, cancelled or removed. Their class, students and guests may have more time or seats. */
  lesson_ids: Set<string>;
  /** Students with fewer lessons than before. */
  students: Set<string>;
}
const FREED_SEATS = new WeakMap<Session, FreedSeats>();

/** Records freed seats and times. At the end of the handler they are offered to waiting students. */
export const recordFreedSeats = (
  session: Session,
  freedNow: { readonly [K in keyof FreedSeats]?: readonly string[] },
): void => {
  if (Object.values(freedNow).every((ids) => ids.length === 0)) return;
  const freed = FREED_SEATS.get(session) ?? { clazz_ids: new Set(), lesson_ids: new Set(), students: new Set() };
  FREED_SEATS.set(session, freed);
  for (const id of freedNow.clazz_ids ?? []) freed.clazz_ids.add(id);
  for (const id of freedNow.lesson_ids ?? []) freed.lesson_ids.add(id);
  for (const id of freedNow.students ?? []) freed.students.add(id);
};

/** The seats and times that this transaction recorded; undefined if none. */
export const freedSeatsOf = (session: Session): Readonly<FreedSeats> | undefined => FREED_SEATS.get(session);

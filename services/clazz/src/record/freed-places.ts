import type { Session } from '@teaching/kit';

/** The places and times that a transaction freed. */
interface FreedPlaces {
  /** Classes with free seats. */
  clazz_ids: Set<string>;
  /** Lessons that were moved, cancelled or removed. Their class, students and guests may have more time or seats. */
  lesson_ids: Set<string>;
  /** Students with fewer lessons than before. */
  students: Set<string>;
}
/**
 * By transaction. Places are freed in layers below that of the waiting list, which offers them when the write ends
 * (`promoteAfter` in `app.ts`).
 */
const FREED_PLACES = new WeakMap<Session, FreedPlaces>();

/** Records freed places and times. At the end of the handler they are offered to waiting students. */
export const recordFreedPlaces = (
  session: Session,
  freedNow: { readonly [K in keyof FreedPlaces]?: readonly string[] },
): void => {
  if (Object.values(freedNow).every((ids) => ids.length === 0)) return;
  const freed = FREED_PLACES.get(session) ?? { clazz_ids: new Set(), lesson_ids: new Set(), students: new Set() };
  FREED_PLACES.set(session, freed);
  for (const id of freedNow.clazz_ids ?? []) freed.clazz_ids.add(id);
  for (const id of freedNow.lesson_ids ?? []) freed.lesson_ids.add(id);
  for (const id of freedNow.students ?? []) freed.students.add(id);
};

/** The places and times that this transaction recorded; undefined if none. */
export const freedPlacesOf = (session: Session): Readonly<FreedPlaces> | undefined => FREED_PLACES.get(session);

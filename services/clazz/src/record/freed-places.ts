import type { Session } from '@teaching/kit';

/** What a transaction frees: places in classes or at lessons, and the time of students. */
interface FreedPlaces {
  /** Classes with places that are free now. */
  clazz_ids: Set<string>;
  /** Lessons that no longer are when or what they were, for their class, its students and guests. */
  lesson_ids: Set<string>;
  /** Students who have to be at fewer lessons. */
  students: Set<string>;
}
const FREED_PLACES = new WeakMap<Session, FreedPlaces>();

/** Records places and times that are free now; at the end of the handler waiting students are tried. */
export const recordFreedPlaces = (
  session: Session,
  what: { readonly [K in keyof FreedPlaces]?: readonly string[] },
): void => {
  if (Object.values(what).every((ids) => ids.length === 0)) return;
  const freed = FREED_PLACES.get(session) ?? { clazz_ids: new Set(), lesson_ids: new Set(), students: new Set() };
  FREED_PLACES.set(session, freed);
  for (const id of what.clazz_ids ?? []) freed.clazz_ids.add(id);
  for (const id of what.lesson_ids ?? []) freed.lesson_ids.add(id);
  for (const id of what.students ?? []) freed.students.add(id);
};

/** What was noted in this transaction, if anything. */
export const freedPlacesOf = (session: Session): Readonly<FreedPlaces> | undefined => FREED_PLACES.get(session);

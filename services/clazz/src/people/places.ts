import { Problem } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { placesTaken } from '../record/taken-places.ts';

/** 409 `capacity_below_enrolled` when more students, or guests of one lesson, have a place than there would be. */
export const requirePlaces = async (session: Session, clazz_id: string, capacity: number): Promise<void> => {
  const taken = await placesTaken(session, clazz_id, session.now.toISOString());
  if (taken > capacity) {
    throw new Problem('capacity_below_enrolled', { detail: `${taken} places are taken`, members: { taken } });
  }
};

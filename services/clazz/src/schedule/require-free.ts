import { scheduleConflict } from '../record/conflict.rules.ts';
import { findStudentConflicts } from './find-conflicts.ts';

/** 409 `schedule_conflict` when lessons keep these students from lessons of the class. */
export const requireStudentsFree = async (...asked: Parameters<typeof findStudentConflicts>): Promise<void> => {
  const clashes = await findStudentConflicts(...asked);
  if (clashes.length > 0) throw scheduleConflict(clashes);
};

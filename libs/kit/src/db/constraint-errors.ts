import type { Problem } from '@teaching/contracts';
import { databaseFault } from './database-fault.ts';

/** What the caller is told when a constraint refuses, by the constraint's name. */
export type ConstraintProblems = Readonly<Record<string, () => Problem>>;

/** Awaits a statement; what the database refuses is said in the caller's terms. */
export const withConstraintProblems = async <T>(work: Promise<T>, refusals: ConstraintProblems): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const constraint = databaseFault(error)?.constraint;
    throw (constraint === undefined ? undefined : refusals[constraint]?.()) ?? error;
  }
};

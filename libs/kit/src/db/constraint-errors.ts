import type { Problem } from '@teaching/contracts';
import { databaseFault } from './database-fault.ts';

/** The problem to return for a violated constraint, by the constraint's name. */
export type ConstraintProblems = Readonly<Record<string, () => Problem>>;

/** Awaits a statement and converts violations of the named constraints to problems. */
export const withConstraintProblems = async <T>(work: Promise<T>, refusals: ConstraintProblems): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const constraint = databaseFault(error)?.constraint;
    throw (constraint === undefined ? undefined : refusals[constraint]?.()) ?? error;
  }
};

import { Problem, type ProblemCode } from '../../../libs/contracts/src/index.ts';

/** What a rule refuses with, if it refuses. An error that is no refusal is the test's failure. */
export const problemFrom = (work: () => unknown): Problem | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return undefined;
};

/** The code that a rule refuses with, or `fine`. */
export const refusalOf = (work: () => unknown): ProblemCode | 'fine' => problemFrom(work)?.code ?? 'fine';

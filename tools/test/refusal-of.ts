import { Problem, type ProblemCode } from '../../libs/contracts/src/index.ts';

/** The code that a rule refuses with, or `fine`. An error that is no refusal is the test's failure. */
export const refusalOf = (work: () => unknown): ProblemCode | 'fine' => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'fine';
};

import { Problem, type ProblemCode } from '../../../libs/contracts/src/index.ts';

/** The problem that a rule throws, if any. Other errors are rethrown. */
export const problemFrom = (work: () => unknown): Problem | undefined => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  return undefined;
};

/** The code of the refusal, or `fine`. */
export const refusalOf = (work: () => unknown): ProblemCode | 'fine' => problemFrom(work)?.code ?? 'fine';

import { type FieldProblem, Problem } from '@teaching/contracts';

/** Refuses a list of ids that names one twice; `pathOf` says where in the request each stands. */
export const requireDifferent = (ids: readonly string[], pathOf: (index: number) => string): void => {
  const errors = ids.flatMap((id, index): FieldProblem[] =>
    ids.indexOf(id) === index ? [] : [{ path: pathOf(index), message: 'is named twice' }],
  );
  if (errors.length > 0) throw new Problem('invalid_request', { errors });
};

import { Problem, type ProblemCode } from '@teaching/contracts';
import { type FaultKind, faultOf, isOver, OutcomeUnknown } from '../db/fault.ts';

/** Nothing was stored, and the same request may well be answered a moment later. */
const CODES: Partial<Record<FaultKind, ProblemCode>> = {
  lost: 'unavailable',
  busy: 'unavailable',
  race: 'unavailable',
  slow: 'unavailable',
  value: 'invalid_request',
};

/** What the caller is told of a failure: a refusal as it is, everything else without its reason. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (isOver(error)) return new Problem('forbidden', 'The organization was deleted');
  if (error instanceof OutcomeUnknown) return new Problem('outcome_unknown');
  return new Problem(CODES[faultOf(error)] ?? 'internal');
};

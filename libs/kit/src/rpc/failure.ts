import { Problem } from '@teaching/contracts';
import { databaseFault } from '../db/connection.ts';

/** Connection trouble, by SQLSTATE: the caller may try again, nothing was stored. */
const UNAVAILABLE = /^(08|53|57P0[123])/;
const UNREACHABLE = /timeout exceeded when trying to connect|ECONNREFUSED|ENOENT|Connection terminated/;

/** What the caller is told of a failure: a refusal as it is, everything else without its reason. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  const isUnreachable =
    UNAVAILABLE.test(databaseFault(error)?.code ?? '') || (error instanceof Error && UNREACHABLE.test(error.message));
  return new Problem(isUnreachable ? 'unavailable' : 'internal');
};

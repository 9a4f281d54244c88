import { databaseFault } from '../db/connection.ts';

/**
 * Three kinds of trouble. `environment`: connection, rights, missing tables, room; nothing can be done but wait,
 * and no event is to blame. `slow`: a statement ran into its limit. `event`: the data cannot be applied.
 */
export type Trouble = 'environment' | 'slow' | 'event';

/**
 * By SQLSTATE class: connection (08), authorization (28), transaction state and lost races (25, 40), resources
 * (53), operator (57), system (58), internal (XX); missing tables, columns, schemas and rights (42xxx); a lock
 * that somebody else holds (55P03).
 */
const ENVIRONMENT = /^(08|25|28|3D|3F|40|53|57|58|XX|42501|42P01|42703|42883|42P0[25]|42704|55P03|55006)/;
const CANCELLED = '57014';
const UNREACHABLE =
  /ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|terminated|timeout exceeded|not queryable|rolled back by/i;

export const troubleOf = (error: unknown): Trouble => {
  const code = databaseFault(error)?.code;
  if (code === CANCELLED) return 'slow';
  if (code !== undefined) return ENVIRONMENT.test(code) ? 'environment' : 'event';
  return error instanceof Error && UNREACHABLE.test(error.message) ? 'environment' : 'event';
};

export { reasonOf, TroubleTeller } from '../telemetry/trouble-teller.ts';

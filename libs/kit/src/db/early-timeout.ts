import { databaseFault, OutcomeUnknown } from './database-fault.ts';
import { REQUEST_LIMITS_MS } from './pool.ts';

/** The time limits of a request in milliseconds, by the SQLSTATE with which Postgres reports that one was reached. */
const LIMITS_MS: Readonly<Record<string, number>> = {
  '25P03': REQUEST_LIMITS_MS.idle_in_transaction,
  '55P03': REQUEST_LIMITS_MS.lock,
  '57014': REQUEST_LIMITS_MS.statement,
};

/**
 * Whether Postgres ended a transaction because of a time limit sooner than the limit allows. Postgres measures its
 * limits by its wall clock, so it does this when that clock is set forward. Nothing was stored, and a retry may succeed.
 * `took_ms`: for how long the transaction was in progress.
 */
export const isEarlyTimeout = (error: unknown, took_ms: number): boolean => {
  if (error instanceof OutcomeUnknown) return false;
  const fault = databaseFault(error) ?? databaseFault(error instanceof Error ? error.cause : undefined);
  return took_ms < (LIMITS_MS[fault?.code ?? ''] ?? 0);
};

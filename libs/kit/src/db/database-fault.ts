import { z } from 'zod';

/**
 * The fields of a database error that decide its handling. No SQLSTATE begins with E, unlike names of system errors.
 */
const DatabaseFault = z.object({
  code: z.string().regex(/^[0-9A-DF-Z][0-9A-Z]{4}$/),
  constraint: z.string().optional(),
});

/** SQLSTATE and constraint name of an error of Postgres, else `undefined`. */
export const databaseFault = (error: unknown): z.output<typeof DatabaseFault> | undefined =>
  DatabaseFault.safeParse(error).data;

/** The row-level security policy that refuses inserts for a deleted organization. */
export const ORGANIZATION_DELETED_POLICY = 'organization_over';

/** Whether a statement was refused because its organization was deleted. */
export const isOrganizationDeleted = (error: unknown): boolean =>
  error instanceof Error &&
  databaseFault(error)?.code === '42501' &&
  error.message.includes(`"${ORGANIZATION_DELETED_POLICY}"`);

/** There is no connection, or it was lost together with all statements in flight. */
export class ConnectionLost extends Error {}

/**
 * Postgres answered COMMIT with a rollback although no statement was refused: the sender ignored the error of an
 * earlier statement.
 */
export class RolledBack extends Error {}

/** COMMIT was sent and no answer arrived: the transaction may have been stored or not. */
export class OutcomeUnknown extends ConnectionLost {
  constructor(cause: unknown) {
    super('the connection was lost before COMMIT was answered', { cause });
  }
}

/**
 * The kind of a database error.
 *
 * `lost`: there is no connection, or no longer. `busy`: the server has no capacity, a lock is held by another
 * transaction, or the server is read only at the moment. `race`: another transaction was first. `slow`: a statement
 * reached its time limit or was cancelled. `value`: a given value does not fit its type. `setup`: login, permissions,
 * missing tables and other faults that an operator has to correct. `other`: all others, such as constraints and bugs.
 */
export type FaultKind = 'lost' | 'busy' | 'race' | 'slow' | 'value' | 'setup' | 'other';

/** SQLSTATE of a statement that was sent after the one that should have prepared it. */
export const STATEMENT_NOT_PREPARED = '26000';

/**
 * By SQLSTATE; the first match counts. A missing prepared statement (26000) was sent after the one that failed to
 * prepare it. It exists on another connection. Of class 22 only errors that the text of a parameter can cause are
 * `value`: a division by zero is a bug. A read-only server (25006) is about to be replaced by another one.
 */
const BY_STATE: readonly (readonly [RegExp, FaultKind])[] = [
  [/^(08|26000|57P0[1235]|25P0[34])/, 'lost'],
  [/^(53|55P03|55006|25006)/, 'busy'],
  [/^40/, 'race'],
  [/^57014/, 'slow'],
  [/^22(001|003|007|008|009|011|019|021|023|025|01[BWX]|03[02]|P02|P03|P05)/, 'value'],
  [/^(25|28|3D|3F|57|58|XX|42501|42P01|42703|42883|42P0[25]|42704)/, 'setup'],
];

/** Codes of the system: a connection could not be opened, or has ended. */
const SYSTEM =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)(UNREACH|DOWN)|NETRESET|NOTFOUND|AI_AGAIN|NOENT|MFILE)|ERR_(STREAM|SOCKET|TLS|SSL)_.+|CERT_.+|UNABLE_TO_.+|(DEPTH_ZERO_)?SELF_SIGNED_.+)$/;
const HasCode = z.object({ code: z.string() });

/** The kind of a database error from the server, the driver or the network. */
export const faultKindOf = (error: unknown): FaultKind => {
  const state = databaseFault(error)?.code;
  if (state !== undefined) return BY_STATE.find(([pattern]) => pattern.test(state))?.[1] ?? 'other';
  if (error instanceof ConnectionLost) return 'lost';
  return SYSTEM.test(HasCode.safeParse(error).data?.code ?? '') ? 'lost' : 'other';
};

import { z } from 'zod';

/** The parts of a database error that rules decide by. No SQLSTATE begins with E, as names of system errors do. */
const DatabaseFault = z.object({
  code: z.string().regex(/^[0-9A-DF-Z][0-9A-Z]{4}$/),
  constraint: z.string().optional(),
});

/** SQLSTATE and constraint name when the database refused, else `undefined`. */
export const databaseFault = (error: unknown): z.output<typeof DatabaseFault> | undefined =>
  DatabaseFault.safeParse(error).data;

/** The policy that lets nothing be added to an organization that was deleted. */
export const ORGANIZATION_DELETED_POLICY = 'organization_over';

/** Whether a statement was refused because its organization was deleted. */
export const isOrganizationDeleted = (error: unknown): boolean =>
  error instanceof Error &&
  databaseFault(error)?.code === '42501' &&
  error.message.includes(`"${ORGANIZATION_DELETED_POLICY}"`);

/** There is no connection, or it was lost and everything on its way with it. */
export class ConnectionLost extends Error {}

/** COMMIT was answered by a rollback, though no statement was refused: one had failed in a way that its sender passed over. */
export class RolledBack extends Error {}

/** COMMIT was sent and no answer came: the transaction may have been stored, or not. */
export class OutcomeUnknown extends ConnectionLost {
  constructor(cause: unknown) {
    super('the connection was lost before COMMIT was answered', { cause });
  }
}

/**
 * What kind of thing went wrong with the database.
 * `lost`: there is no connection, or no longer. `busy`: it is there but has no room, holds a lock for somebody else,
 * or may not write just now. `race`: another transaction was first. `slow`: a statement ran into its time limit or was
 * cancelled. `value`: a value that was given does not fit its type. `setup`: login, rights, missing tables and what else
 * somebody has to put in order. `other`: everything else, as constraints and bugs.
 */
export type FaultKind = 'lost' | 'busy' | 'race' | 'slow' | 'value' | 'setup' | 'other';

/** A statement was sent behind the one that should have prepared it and was refused. */
export const STATEMENT_NOT_PREPARED = '26000';

/**
 * By SQLSTATE, the first that fits. A prepared statement that is not there (26000) was sent behind the one that failed to prepare
 * it, and is there on another connection. Of class 22 only what a parameter's text can cause: a division by zero is a bug. A
 * server that is read only (25006) is about to be another one.
 */
const BY_STATE: readonly (readonly [RegExp, FaultKind])[] = [
  [/^(08|26000|57P0[1235]|25P0[34])/, 'lost'],
  [/^(53|55P03|55006|25006)/, 'busy'],
  [/^40/, 'race'],
  [/^57014/, 'slow'],
  [/^22(001|003|007|008|009|011|019|021|023|025|01[BWX]|03[02]|P02|P03|P05)/, 'value'],
  [/^(25|28|3D|3F|57|58|XX|42501|42P01|42703|42883|42P0[25]|42704)/, 'setup'],
];

/** Of the system: no connection comes about, or one has ended. */
const SYSTEM =
  /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)(UNREACH|DOWN)|NETRESET|NOTFOUND|AI_AGAIN|NOENT|MFILE)|ERR_(STREAM|SOCKET|TLS|SSL)_.+|CERT_.+|UNABLE_TO_.+|(DEPTH_ZERO_)?SELF_SIGNED_.+)$/;
const HasCode = z.object({ code: z.string() });

/** What kind of fault an error is, of whatever part of the way to the database it comes from. */
export const faultKindOf = (error: unknown): FaultKind => {
  const state = databaseFault(error)?.code;
  if (state !== undefined) return BY_STATE.find(([pattern]) => pattern.test(state))?.[1] ?? 'other';
  if (error instanceof ConnectionLost) return 'lost';
  return SYSTEM.test(HasCode.safeParse(error).data?.code ?? '') ? 'lost' : 'other';
};

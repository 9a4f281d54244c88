import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@teaching/contracts';
import { newId } from '../base/ids.ts';
import type { Session } from './session.ts';

/** The fields that the server sets on a new record. */
export const newRecord = (session: Session) => {
  const at = session.now.toISOString();
  return { id: newId(), org_id: session.org_id, version: 1, created_at: at, updated_at: at };
};

/**
 * Returns the record. Refuses with 404 if there is none (`kind` names it), and with 412 if `If-Match` does not match.
 */
export const requireVersion = <R extends { version: number }>(
  session: Session,
  found: R | undefined,
  kind: Parameters<typeof notFound>[0],
): R => {
  if (found === undefined) throw notFound(kind);
  session.checkVersion(found.version);
  return found;
};

/** The fields of every record that can be changed. */
interface Editable {
  version: number;
  updated_at: string;
}

/** The record with the next version and the time of the change. */
export const nextVersion = <R extends Editable>(record: R, session: Session): R => ({
  ...record,
  version: record.version + 1,
  updated_at: session.now.toISOString(),
});

/**
 * Saves a changed record with the next version and time: `save` stores it and emits its event. If nothing changed,
 * `save` is not called, and `before` is returned with its version and time.
 */
export const saveChanged = async <R extends Editable>(
  session: Session,
  before: R,
  wanted: R,
  save: (after: R) => Promise<unknown> | undefined,
): Promise<R> => {
  if (isDeepStrictEqual(before, wanted)) return before;
  const after = nextVersion(wanted, session);
  await save(after);
  return after;
};

import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@teaching/contracts';
import { newId } from '../base/ids.ts';
import type { Session } from './session.ts';

/** What the server sets on a new record. */
export const newRecord = (session: Session) => {
  const at = session.now.toISOString();
  return { id: newId(), org_id: session.org_id, version: 1, created_at: at, updated_at: at };
};

/** A record that is there (404, which says `what` it would be) and, where `If-Match` says so, as the caller knows it (412). */
export const requireVersion = <R extends { version: number }>(
  session: Session,
  found: R | undefined,
  what: Parameters<typeof notFound>[0],
): R => {
  if (found === undefined) throw notFound(what);
  session.checkVersion(found.version);
  return found;
};

/** What every record has that can be changed. */
interface Editable {
  version: number;
  updated_at: string;
}

/** A changed record: next version, time of change. */
export const nextVersion = <R extends Editable>(it: R, session: Session): R => ({
  ...it,
  version: it.version + 1,
  updated_at: session.now.toISOString(),
});

/**
 * What a change makes of a record, stored and told by `save`, which gets it as `touched`. A change that changes nothing is
 * none: version, time and log stay as they are, and `before` is the answer.
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

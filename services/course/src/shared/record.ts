import type { Session } from '@teaching/kit';

/** What the server sets on a new record. */
export const newRecord = (session: Session, id: string) => {
  const at = session.now.toISOString();
  return { id, org_id: session.org_id, version: 1, created_at: at, updated_at: at };
};

/** Marks a changed record: next version, time of change. */
export const touch = (it: { version: number; updated_at: string }, session: Session): void => {
  it.version += 1;
  it.updated_at = session.now.toISOString();
};

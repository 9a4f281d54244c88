import { type Lianxi, type LianxiRow, notFound, unknownIds } from '@teaching/contracts';
import { type Session, requireOwner } from '@teaching/kit';
import { LIANXI } from './lianxi.table.ts';

/** A practice without whom it is assigned to. */
export type StoredLianxi = LianxiRow & Pick<Lianxi, 'content'>;

/** Loads and locks one practice for a change by whoever made it or a supervisor. */
export const lockLianxi = async (session: Session, id: string): Promise<StoredLianxi> => {
  const found = await session.one(LIANXI.lock, session.org_id, id);
  if (found === undefined) throw notFound('Lianxi');
  requireOwner(session.caller, found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

export const unknownStudent = () =>
  unknownIds([{ path: '/body/student_id', message: 'is not assigned to this lianxi' }]);

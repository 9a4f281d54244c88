import { LockMode } from '@mikro-orm/postgresql';
import { notFound, unknownIds } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { requireOwner } from '../shared/access.rules.ts';
import { LianxiEntity } from './lianxi.entity.ts';

/** Loads and locks one practice for a change by whoever made it or a supervisor. */
export const lockLianxi = async (session: Session, id: string): Promise<LianxiEntity> => {
  const em = await session.entities();
  const found = await em.findOne(
    LianxiEntity,
    { org_id: session.org_id, id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (found === null) throw notFound('Lianxi');
  requireOwner(session.caller, found.teacher_id);
  session.checkVersion(found.version);
  return found;
};

export const unknownStudent = () =>
  unknownIds([{ path: '/body/student_id', message: 'is not assigned to this lianxi' }]);

import { LockMode } from '@mikro-orm/postgresql';
import { notFound } from '@teaching/contracts';
import type { Session } from '@teaching/kit';
import { PackageEntity } from './package.entity.ts';

/** Loads and locks one package of the caller's org, and honours `If-Match`. */
export const lockPackage = async (session: Session, id: string): Promise<PackageEntity> => {
  const em = await session.entities();
  const found = await em.findOne(
    PackageEntity,
    { org_id: session.org_id, id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (found === null) throw notFound('Package');
  session.checkVersion(found.version);
  return found;
};

/** Marks a changed package: next version, time of change. */
export const touch = (it: PackageEntity, session: Session): void => {
  it.version += 1;
  it.updated_at = session.now.toISOString();
};

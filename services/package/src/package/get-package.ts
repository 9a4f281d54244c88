import { notFound, type packageCalls } from '@teaching/contracts';
import type { Handler } from '@teaching/kit';
import { PackageEntity, toPackage } from './package.entity.ts';
import { maySee } from './package.rules.ts';

export const getPackage: Handler<typeof packageCalls.get> = async ({ path }, session) => {
  const em = await session.entities();
  const found = await em.findOne(PackageEntity, { org_id: session.org_id, id: path.id });
  if (found === null || !maySee(session.caller, found)) throw notFound('Package');
  return toPackage(found);
};

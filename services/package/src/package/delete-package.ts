import { clazzReferenceCalls, type Package, packageCalls, packageEvents } from '@teaching/contracts';
import { requireVersion, prepared, requireUnused, type Session, type ReferenceCount } from '@teaching/kit';
import { lockPackage } from './load-package.ts';
import { requireUnpublished } from './package.rules.ts';
import { PACKAGE } from './package.table.ts';

const usesOfPackage = async (session: Session, package_id: string): Promise<ReferenceCount[]> => {
  const { clazzes, hour_lots } = await session.neighbours.call(clazzReferenceCalls.countReferences, { package_id });
  return [
    { what: 'clazz', count: clazzes },
    { what: 'hour_lot', count: hour_lots },
  ];
};

/** What no neighbour has to be asked about. */
const requireRemovable = ({ reach }: Session, it: Package): void => {
  reach.requireOwner(it.teacher_id);
  requireUnpublished(it);
};

/** Removes the package and its items; published versions stay provable. What was ever granted stays. */
export const deletePackage = prepared(packageCalls.deletePackage, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      first: async () =>
        requireRemovable(session, requireVersion(session, await session.peekAt(PACKAGE, path.id), 'Package')),
      ask: () => usesOfPackage(session, path.id),
    }),
  run: async ({ path }, session, uses) => {
    const it = await lockPackage(session, path.id);
    requireRemovable(session, it);
    requireUnused(uses);
    session.remove(PACKAGE, it.id);
    session.emit(packageEvents.deleted, it.id, { id: it.id, teacher_id: it.teacher_id });
    return null;
  },
});

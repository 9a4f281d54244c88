import { clazzReferenceCalls, type Package, packageCalls, packageEvents } from '@teaching/contracts';
import { requireVersion, twoStepHandler, requireUnused, type Session, type ReferenceCount } from '@teaching/kit';
import { lockPackage } from './load-package.ts';
import { requireUnpublished } from './package.rules.ts';
import { PACKAGE } from './package.table.ts';

const countPackageReferences = async (session: Session, package_id: string): Promise<ReferenceCount[]> => {
  const { clazzes, hour_lots } = await session.peers.call(clazzReferenceCalls.countReferences, { package_id });
  return [
    { what: 'clazz', count: clazzes },
    { what: 'hour_lot', count: hour_lots },
  ];
};

/** The checks that need no other service. */
const requireRemovable = ({ access }: Session, found: Package): void => {
  access.requireOwner(found.teacher_id);
  requireUnpublished(found);
};

/** Deletes the package and its items. Published versions and granted lessons stay. */
export const deletePackage = twoStepHandler(packageCalls.deletePackage, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      check: async () =>
        requireRemovable(session, requireVersion(session, await session.peekRow(PACKAGE, path.id), 'Package')),
      countReferences: () => countPackageReferences(session, path.id),
    }),
  run: async ({ path }, session, references) => {
    const found = await lockPackage(session, path.id);
    requireRemovable(session, found);
    requireUnused(references);
    session.remove(PACKAGE, found.id);
    session.emit(packageEvents.deleted, found.id, { id: found.id, teacher_id: found.teacher_id });
    return null;
  },
});

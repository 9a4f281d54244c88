import { z } from 'zod';
import { event } from '../event.ts';
import { ID, PersonId } from '../scalars.ts';
import { PackageRow } from './package.schema.ts';

const Gone = z.object({ id: ID, teacher_id: PersonId });

export const packageEvents = {
  created: event('package.package.created', 'A package was created', PackageRow),
  updated: event('package.package.updated', 'A package was changed', PackageRow),
  deleted: event('package.package.deleted', 'A package was deleted', Gone),
  published: event(
    'package.package.published',
    'A package was published and locked',
    PackageRow.extend({ sha256: z.string() }),
  ),
  unpublished: event('package.package.unpublished', 'A package was unlocked', PackageRow),
  itemsSynced: event(
    'package.item.synced',
    'The items of a package changed',
    z.object({
      package_id: ID,
      version: z.int(),
      created: z.array(ID),
      updated: z.array(ID),
      deleted: z.array(ID),
    }),
  ),
};

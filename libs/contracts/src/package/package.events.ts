import { z } from 'zod';
import { event } from '../event.ts';
import { ID, PersonId } from '../scalars.ts';
import { PackageRow, PackageRowWithCurrency } from './package.schema.ts';

const Gone = z.object({ id: ID, teacher_id: PersonId });

/** The first form of an event, which said a currency without a price, too. It stays in the history and is still read. */
const replacedBy = (name: string) => ({ replaced_by: `${name}.v2` });
const VERSION_2 = { version: 2 };
const PROOF = { sha256: z.string() };

export const packageEvents = {
  createdWithCurrency: event(
    'package.package.created',
    'A package was created',
    PackageRowWithCurrency,
    replacedBy('package.package.created'),
  ),
  created: event('package.package.created', 'A package was created', PackageRow, VERSION_2),
  updatedWithCurrency: event(
    'package.package.updated',
    'A package was changed',
    PackageRowWithCurrency,
    replacedBy('package.package.updated'),
  ),
  updated: event('package.package.updated', 'A package was changed', PackageRow, VERSION_2),
  deleted: event('package.package.deleted', 'A package was deleted', Gone),
  publishedWithCurrency: event(
    'package.package.published',
    'A package was published and locked',
    PackageRowWithCurrency.extend(PROOF),
    replacedBy('package.package.published'),
  ),
  published: event(
    'package.package.published',
    'A package was published and locked',
    PackageRow.extend(PROOF),
    VERSION_2,
  ),
  unpublishedWithCurrency: event(
    'package.package.unpublished',
    'A package was unlocked',
    PackageRowWithCurrency,
    replacedBy('package.package.unpublished'),
  ),
  unpublished: event('package.package.unpublished', 'A package was unlocked', PackageRow, VERSION_2),
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

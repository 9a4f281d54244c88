import { z } from 'zod';
import { event } from '../event.ts';
import { ID, PersonId } from '../scalars.ts';
import { PackageRow, PackageRowWithCurrency } from './package.schema.ts';

const Gone = z.object({ id: ID, teacher_id: PersonId });

/** Version 1 of an event, which had a currency even without a price. The history contains it, and readers accept it. */
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
    'A package was updated',
    PackageRowWithCurrency,
    replacedBy('package.package.updated'),
  ),
  updated: event('package.package.updated', 'A package was updated', PackageRow, VERSION_2),
  deleted: event('package.package.deleted', 'A package was deleted', Gone),
  publishedWithCurrency: event(
    'package.package.published',
    'A package was published',
    PackageRowWithCurrency.extend(PROOF),
    replacedBy('package.package.published'),
  ),
  published: event('package.package.published', 'A package was published', PackageRow.extend(PROOF), VERSION_2),
  unpublishedWithCurrency: event(
    'package.package.unpublished',
    'A package was unpublished',
    PackageRowWithCurrency,
    replacedBy('package.package.unpublished'),
  ),
  unpublished: event('package.package.unpublished', 'A package was unpublished', PackageRow, VERSION_2),
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

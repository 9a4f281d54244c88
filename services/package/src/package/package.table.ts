import { type Package, PackageRow, type Snapshot } from '@teaching/contracts';
import { bigint, hundredths, instant, p, table } from '@teaching/kit';

export const PACKAGE = table('course_package', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  teacher_id: p.text(),
  title: p.text(),
  description: p.text(),
  category_id: p.uuid().nullable(),
  price_minor: bigint(),
  currency: p.text().nullable(),
  total_hours: hundredths(),
  validity_days: p.integer().nullable(),
  active: p.boolean(),
  published_at: instant().nullable(),
  published_snapshot: p.json<Snapshot>().nullable(),
  published_version: p.integer().nullable(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** The columns of a package in a list: all but the snapshot. */
export const LISTED_PACKAGE = PACKAGE.contractColumns(PackageRow);
/** A package without its snapshot, as in lists and events. */
export const toPackageRow = ({ published_snapshot: _large, ...row }: Package): Omit<Package, 'published_snapshot'> =>
  row;

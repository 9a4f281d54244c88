import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { Package, Snapshot } from '@teaching/contracts';
import { InstantType } from '@teaching/kit';

export const PackageEntity = defineEntity({
  name: 'CoursePackage',
  tableName: 'course_package',
  properties: {
    org_id: p.uuid().primary(),
    id: p.uuid().primary(),
    teacher_id: p.text(),
    title: p.text(),
    description: p.text(),
    category_id: p.uuid().nullable(),
    price_minor: p.bigint('number'),
    currency: p.text(),
    total_hours: p.decimal('string').precision(12).scale(2),
    validity_days: p.integer().nullable(),
    active: p.boolean(),
    published_at: p.type(InstantType).nullable(),
    published_snapshot: p.json<Snapshot>().nullable(),
    published_version: p.integer().nullable(),
    version: p.integer(),
    created_at: p.type(InstantType),
    updated_at: p.type(InstantType),
  },
});
export type PackageEntity = InferEntity<typeof PackageEntity>;

/** The columns of a package as they are listed: everything but the snapshot. */
export const PACKAGE_COLUMNS = `id, org_id, teacher_id, title, description, category_id, price_minor, currency,
  total_hours, validity_days, active, published_at, published_version, version, created_at, updated_at`;

/** One package in full. */
export const toPackage = (row: PackageEntity): Package => ({
  ...toPackageRow(row),
  published_snapshot: row.published_snapshot ?? null,
});

/** One package as it is listed and told to others. */
export const toPackageRow = (row: PackageEntity): Omit<Package, 'published_snapshot'> => ({
  id: row.id,
  org_id: row.org_id,
  teacher_id: row.teacher_id,
  title: row.title,
  description: row.description,
  category_id: row.category_id ?? null,
  price_minor: row.price_minor,
  currency: row.currency,
  total_hours: row.total_hours,
  validity_days: row.validity_days ?? null,
  active: row.active,
  published_at: row.published_at ?? null,
  published_version: row.published_version ?? null,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

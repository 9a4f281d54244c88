import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Package, Snapshot } from '@teaching/contracts';
import { InstantType, table } from '@teaching/kit';

export const PACKAGE = table(
  defineEntity({
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
  }),
);

/** A package as it is listed: everything but the snapshot. */
export const LISTED_COLUMNS = PACKAGE.columnsWithout('published_snapshot');
/** The same of one in full; told to others, too. */
export const toPackageRow = ({ published_snapshot: _large, ...row }: Package): Omit<Package, 'published_snapshot'> =>
  row;

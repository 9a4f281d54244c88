import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Snapshot } from '@teaching/contracts';
import { instant, table } from '@teaching/kit';

/** Published versions. They outlive their package: what was sold stays provable. */
export const VERSION = table(
  defineEntity({
    name: 'CoursePackageVersion',
    tableName: 'course_package_version',
    properties: {
      org_id: p.uuid().primary(),
      package_id: p.uuid().primary(),
      number: p.integer().primary(),
      snapshot: p.json<Snapshot>(),
      published_at: instant(),
      published_by: p.text(),
    },
  }),
);

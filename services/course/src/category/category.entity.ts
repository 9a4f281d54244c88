import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { CourseCategory } from '@teaching/contracts';
import { InstantType } from '@teaching/kit';

export const CategoryEntity = defineEntity({
  name: 'CourseCategory',
  tableName: 'course_category',
  properties: {
    org_id: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    parent_id: p.uuid().nullable(),
    version: p.integer(),
    created_at: p.type(InstantType),
    updated_at: p.type(InstantType),
  },
});
export type CategoryEntity = InferEntity<typeof CategoryEntity>;

export const toCategory = (row: CategoryEntity): CourseCategory => ({
  id: row.id,
  org_id: row.org_id,
  name: row.name,
  parent_id: row.parent_id ?? null,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

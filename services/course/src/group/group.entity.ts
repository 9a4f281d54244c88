import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { CourseGroup } from '@teaching/contracts';
import { InstantType } from '@teaching/kit';

export const GroupEntity = defineEntity({
  name: 'CourseGroup',
  tableName: 'course_group',
  properties: {
    org_id: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    description: p.text(),
    owner_id: p.text(),
    org_visible: p.boolean(),
    version: p.integer(),
    created_at: p.type(InstantType),
    updated_at: p.type(InstantType),
  },
});
export type GroupEntity = InferEntity<typeof GroupEntity>;

/** A group without its courses. */
export const toGroup = (row: GroupEntity): Omit<CourseGroup, 'courses'> => ({
  id: row.id,
  org_id: row.org_id,
  name: row.name,
  description: row.description,
  owner_id: row.owner_id,
  org_visible: row.org_visible,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

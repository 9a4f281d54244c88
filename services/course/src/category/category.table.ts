import { defineEntity, p } from '@mikro-orm/postgresql';
import { instant, table } from '@teaching/kit';

export const CATEGORY = table(
  defineEntity({
    name: 'CourseCategory',
    tableName: 'course_category',
    properties: {
      org_id: p.uuid().primary(),
      id: p.uuid().primary(),
      name: p.text(),
      parent_id: p.uuid().nullable(),
      version: p.integer(),
      created_at: instant(),
      updated_at: instant(),
    },
  }),
);

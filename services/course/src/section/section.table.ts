import { defineEntity, p } from '@mikro-orm/postgresql';
import { instant, table } from '@teaching/kit';

export const SECTION = table(
  defineEntity({
    name: 'CourseSection',
    tableName: 'course_section',
    properties: {
      org_id: p.uuid().primary(),
      id: p.uuid().primary(),
      course_id: p.uuid(),
      parent_id: p.uuid().nullable(),
      title: p.text(),
      position: p.integer(),
      version: p.integer(),
      created_at: instant(),
      updated_at: instant(),
    },
  }),
);

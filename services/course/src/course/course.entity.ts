import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import { type Course, COURSE_STATUSES } from '@teaching/contracts';
import { InstantType } from '@teaching/kit';

export const CourseEntity = defineEntity({
  name: 'Course',
  tableName: 'course',
  properties: {
    org_id: p.uuid().primary(),
    id: p.uuid().primary(),
    title: p.text(),
    description: p.text(),
    category_id: p.uuid().nullable(),
    teacher_id: p.text(),
    status: p.enum(COURSE_STATUSES),
    version: p.integer(),
    created_at: p.type(InstantType),
    updated_at: p.type(InstantType),
  },
});
export type CourseEntity = InferEntity<typeof CourseEntity>;

export const COURSE_COLUMNS = `id, org_id, title, description, category_id, teacher_id, status, version,
  created_at, updated_at`;

export const toCourse = (row: CourseEntity): Course => ({
  id: row.id,
  org_id: row.org_id,
  title: row.title,
  description: row.description,
  category_id: row.category_id ?? null,
  teacher_id: row.teacher_id,
  status: row.status,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { Clazz } from '@teaching/contracts';
import { InstantType } from '@teaching/kit';

export const ClazzEntity = defineEntity({
  name: 'Clazz',
  tableName: 'clazz',
  properties: {
    org_id: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    course_id: p.uuid().nullable(),
    course_package_id: p.uuid().nullable(),
    lead_teacher_id: p.text(),
    assistant_ids: p.array(),
    capacity: p.integer().nullable(),
    zone: p.text(),
    starts_on: p.date().nullable(),
    ends_on: p.date().nullable(),
    status: p.enum(['draft', 'active', 'completed', 'cancelled']),
    completed_at: p.type(InstantType).nullable(),
    version: p.integer(),
    created_at: p.type(InstantType),
    updated_at: p.type(InstantType),
  },
});
export type ClazzEntity = InferEntity<typeof ClazzEntity>;

export const CLAZZ_COLUMNS = `id, org_id, name, course_id, course_package_id, lead_teacher_id, assistant_ids, capacity,
  zone, starts_on, ends_on, status, completed_at, version, created_at, updated_at`;

export const toClazz = (row: ClazzEntity): Clazz => ({
  id: row.id,
  org_id: row.org_id,
  name: row.name,
  course_id: row.course_id ?? null,
  course_package_id: row.course_package_id ?? null,
  lead_teacher_id: row.lead_teacher_id,
  assistant_ids: [...row.assistant_ids],
  capacity: row.capacity ?? null,
  zone: row.zone,
  starts_on: row.starts_on ?? null,
  ends_on: row.ends_on ?? null,
  status: row.status,
  completed_at: row.completed_at ?? null,
  version: row.version,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';
import type { Lianxi, LianxiRow } from '@teaching/contracts';
import { InstantType } from '@teaching/kit';

export const LianxiEntity = defineEntity({
  name: 'Lianxi',
  tableName: 'lianxi',
  properties: {
    org_id: p.uuid().primary(),
    id: p.uuid().primary(),
    course_id: p.uuid(),
    course_section_id: p.uuid(),
    teacher_id: p.text(),
    title: p.text(),
    content: p.json<Lianxi['content']>(),
    question_count: p.integer(),
    total_points: p.decimal('string').precision(12).scale(2),
    due_at: p.type(InstantType).nullable(),
    clazz_id: p.uuid().nullable(),
    version: p.integer(),
    created_at: p.type(InstantType),
    updated_at: p.type(InstantType),
  },
});
export type LianxiEntity = InferEntity<typeof LianxiEntity>;

/** The columns of a row but for `due_at`, which depends on who asks. */
export const LIANXI_COLUMNS = `l.id, l.org_id, l.title, l.course_id, l.course_section_id, l.teacher_id, l.clazz_id,
  l.question_count, l.total_points, l.version, l.created_at, l.updated_at`;

export const toRow = (it: LianxiEntity): LianxiRow => ({
  id: it.id,
  org_id: it.org_id,
  title: it.title,
  course_id: it.course_id,
  course_section_id: it.course_section_id,
  teacher_id: it.teacher_id,
  clazz_id: it.clazz_id ?? null,
  due_at: it.due_at ?? null,
  question_count: it.question_count,
  total_points: it.total_points,
  version: it.version,
  created_at: it.created_at,
  updated_at: it.updated_at,
});

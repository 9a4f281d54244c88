import { defineEntity, p } from '@mikro-orm/postgresql';
import type { Lianxi } from '@teaching/contracts';
import { InstantType, table } from '@teaching/kit';

export const LIANXI = table(
  defineEntity({
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
  }),
);

/** The columns of a row but for `due_at`, which depends on who asks. */
export const LIANXI_COLUMNS = `l.id, l.org_id, l.title, l.course_id, l.course_section_id, l.teacher_id, l.clazz_id,
  l.question_count, l.total_points, l.version, l.created_at, l.updated_at`;

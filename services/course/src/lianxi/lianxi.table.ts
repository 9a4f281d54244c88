import type { Lianxi } from '@teaching/contracts';
import { hundredths, instant, p, table } from '@teaching/kit';

export const LIANXI = table('lianxi', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  course_id: p.uuid(),
  course_section_id: p.uuid(),
  teacher_id: p.text(),
  title: p.text(),
  content: p.json<Lianxi['content']>(),
  question_count: p.integer(),
  total_points: hundredths(),
  due_at: instant().nullable(),
  closes_at: instant().nullable(),
  max_attempts: p.integer().nullable(),
  clazz_id: p.uuid().nullable(),
  release: p.text().$type<Lianxi['release']>(),
  key: p.text().$type<Lianxi['key']>(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

/** A practice as it is told: everything but its content, which is large. */
export const toLianxiRow = <R extends Pick<Lianxi, 'content'>>({ content: _large, ...row }: R): Omit<R, 'content'> =>
  row;

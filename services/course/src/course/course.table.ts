import { COURSE_STATUSES } from '@teaching/contracts';
import { instant, p, table } from '@teaching/kit';

export const COURSE = table('course', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  title: p.text(),
  description: p.text(),
  category_id: p.uuid().nullable(),
  teacher_id: p.text(),
  status: p.enum(COURSE_STATUSES),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

import { instant, p, table } from '@teaching/kit';

export const SECTION = table('course_section', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  course_id: p.uuid(),
  parent_id: p.uuid().nullable(),
  title: p.text(),
  position: p.integer(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

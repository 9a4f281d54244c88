import { instant, p, table } from '@teaching/kit';

export const CATEGORY = table('course_category', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  parent_id: p.uuid().nullable(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
});

import { instant, p, table } from '@teaching/kit';

export const GROUP = table('course_group', {
  org_id: p.uuid().primary(),
  id: p.uuid().primary(),
  name: p.text(),
  description: p.text(),
  owner_id: p.text(),
  org_visible: p.boolean(),
  version: p.integer(),
  created_at: instant(),
  updated_at: instant(),
  search: p.text().hidden().persist(false),
});

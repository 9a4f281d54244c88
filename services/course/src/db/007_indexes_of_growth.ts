import { migration } from '@teaching/kit';

/** What is asked in one sort must not cost what the organization has. */
export const indexesOfGrowth = migration(
  '104_indexes_of_growth',
  `
  create index course_title on course (org_id, title, id);
  create index course_updated on course (org_id, updated_at, id);
  create index course_group_name on course_group (org_id, name, id);
  create index course_group_created on course_group (org_id, created_at, id);
  create index course_group_updated on course_group (org_id, updated_at, id);
  create index member_created on member (org_id, created_at, user_id);
  create index member_updated on member (org_id, updated_at, user_id);
  create index lianxi_title on lianxi (org_id, title, id);
  create index lianxi_due on lianxi (org_id, (case when due_at is null then 'infinity' else due_at end), id);
  create index lianxi_updated on lianxi (org_id, updated_at, id);
  create index jihua_title on jihua (org_id, title, id);
  create index jihua_starts on jihua (org_id, starts_on, id);
  create index jihua_ends on jihua (org_id, ends_on, id);
  create index jihua_updated on jihua (org_id, updated_at, id);
`,
);

import { migration } from '@teaching/kit';

/** What is asked of one category or sort must not cost what the organization has. */
export const indexesOfGrowth = migration(
  '101_indexes_of_growth',
  `
  create index course_package_of_category on course_package (org_id, category_id) where category_id is not null;
  -- Each sort of the list.
  create index course_package_title on course_package (org_id, title, id);
  create index course_package_price on course_package (org_id, price_minor, id);
  create index course_package_updated on course_package (org_id, updated_at, id);
  create index course_package_sold on course_package (org_id, (case when published_at is null then '-infinity' else published_at end), id);
`,
);

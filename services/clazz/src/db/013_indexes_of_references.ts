import { migration } from '@teaching/kit';

/** Indexes for the services that own courses and packages. They count references before a deletion. */
export const indexesOfReferences = migration(
  '107_indexes_of_references',
  `
  create index clazz_of_course on clazz (org_id, course_id) where course_id is not null;
  create index clazz_of_package on clazz (org_id, course_package_id) where course_package_id is not null;
  create index hour_lot_of_course on hour_lot (org_id, course_id) where course_id is not null;
  create index hour_lot_of_package on hour_lot (org_id, package_id) where package_id is not null;
`,
);

import { migration } from '@teaching/kit';

/** Events tell of these from now on; for what happened before, build the statistics anew. */
export const makeUpAndMarkingsOfClasses = migration(
  '004_make_up_and_markings_of_classes',
  `
  -- The lesson a missed one is made up for at.
  alter table leave add column make_up_lesson_id uuid;
  create index leave_make_up on leave (student_id, org_id, gen) where make_up_lesson_id is not null;
  alter table marking add column clazz_id uuid;
`,
);

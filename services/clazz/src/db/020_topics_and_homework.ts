import { migration } from '@teaching/kit';

/** What a lesson is about and what is to be done for the next one; lessons so far say neither. */
export const topicsAndHomework = migration(
  '115_topics_and_homework',
  'alter table lesson add column topic text, add column homework text',
);

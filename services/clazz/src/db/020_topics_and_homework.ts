import { migration } from '@teaching/kit';

/** Topic and homework of a lesson. Earlier lessons have neither. */
export const topicsAndHomework = migration(
  '115_topics_and_homework',
  'alter table lesson add column topic text, add column homework text',
);

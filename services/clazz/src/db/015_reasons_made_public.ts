import { migration } from '@teaching/kit';

/** Whether students are told why a lesson was cancelled; of those cancelled so far they are not. */
export const reasonsMadePublic = migration(
  '110_reasons_made_public',
  'alter table lesson add column reason_public boolean not null default false',
);

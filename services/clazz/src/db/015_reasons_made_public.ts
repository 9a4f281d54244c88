import { migration } from '@teaching/kit';

/** Whether students see the reason of a cancellation. For earlier cancellations they do not. */
export const reasonsMadePublic = migration(
  '110_reasons_made_public',
  'alter table lesson add column reason_public boolean not null default false',
);

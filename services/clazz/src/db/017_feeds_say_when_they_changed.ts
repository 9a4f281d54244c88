import { migration } from '@teaching/kit';

/** A feed remembers what it answered last, so that it can say when that changed. */
export const feedsSayWhenTheyChanged = migration(
  '112_feeds_say_when_they_changed',
  'alter table calendar_feed add column stamp text, add column changed_at timestamptz(3)',
);

import { migration } from '@teaching/kit';

/** Stores the last answer of a feed, so that the feed can report when it changed. */
export const feedsSayWhenTheyChanged = migration(
  '112_feeds_say_when_they_changed',
  'alter table calendar_feed add column stamp text, add column changed_at timestamptz(3)',
);

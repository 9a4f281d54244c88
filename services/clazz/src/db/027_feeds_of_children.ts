import { migration } from '@teaching/kit';

/** A guardian has a separate feed for each linked student. Other people have one feed for themselves. */
export const feedsOfChildren = migration(
  '122_feeds_of_children',
  `
  alter table calendar_feed add column student_id text;
  update calendar_feed set student_id = user_id;
  alter table calendar_feed
    alter column student_id set not null,
    drop constraint calendar_feed_pkey,
    add primary key (org_id, user_id, student_id);
  -- What ends with a link, or with a person.
  create index calendar_feed_of_student on calendar_feed (org_id, student_id);
`,
);

import { migration, tenantTable } from '@teaching/kit';

/** The secret iCalendar feed of each person. Only a hash of the secret is stored. */
export const calendarFeeds = migration(
  '006_calendar_feeds',
  `
  create table calendar_feed (
    org_id uuid not null,
    user_id text not null,
    secret_hash text not null,
    created_at timestamptz(3) not null,
    primary key (org_id, user_id),
    unique (org_id, secret_hash)
  );
  ${tenantTable('clazz', 'calendar_feed')}
`,
);

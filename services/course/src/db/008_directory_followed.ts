import { migration } from '@teaching/kit';

/**
 * The directory of people is the class service's; names are kept here by following its events. Rows without a `seq` are
 * those that this service kept itself, whole, until they were carried over.
 */
export const directoryFollowed = migration(
  '105_directory_followed',
  `
  drop index member_search, member_name, member_created, member_updated;
  alter table member
    drop constraint member_role_check,
    drop column search,
    add column seq bigint,
    alter column created_at drop not null,
    alter column updated_at drop not null;
  grant insert, update, delete on member to course_worker;
`,
);

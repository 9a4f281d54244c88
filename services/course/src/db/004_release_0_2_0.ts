import { BOUND_ORG, restrictLog, migration } from '@teaching/kit';

/** Whether machine-scored marks are released at once, and whether keys are shown after release (rules, part 10). */
export const releaseAndKey = migration(
  '101_release_and_key',
  `
  alter table lianxi
    add column release text not null default 'manual' check (release in ('manual', 'at_once')),
    add column key text not null default 'after_release' check (key in ('after_release', 'never'));
`,
);

/** First day of a student in a plan (rules, part 10). Null: the first day of the plan, as for all existing rows. */
export const studentSince = migration('102_student_since', 'alter table jihua_student add column since date');

/**
 * The log contains names and is kept forever. The serving role may change it in one way only: erase a person. An entry
 * about that person alone becomes a tombstone with only its number.
 */
export const peopleWhoWereErased = migration(
  '103_people_who_were_erased',
  `
  create index log_entry_members on log_entry (org_id) where type = 'course.member.changed.v1';
  create function strike_member(org uuid, person text) returns bigint
  language sql security definer set search_path = course, pg_temp as $$
    with struck as (
      update log_entry as e set data = (
        select case when count(*) > 0 then json_build_object('members', json_agg(m)) end
        from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' <> person)
      where e.org_id = org and e.type = 'course.member.changed.v1' and e.data is not null
        and exists (select from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' = person)
      returning 1
    ) select count(*) from struck
  $$;
  revoke execute on function strike_member(uuid, text) from public;
  grant execute on function strike_member(uuid, text) to course_app;
  grant update (comment, rubric, reason) on mark_revision to course_app;
`,
);

/** The cost of a page in any sort order must not grow with the size of the organization. */
export const indexesOfGrowth = migration(
  '104_indexes_of_growth',
  `
  create index course_title on course (org_id, title, id);
  create index course_updated on course (org_id, updated_at, id);
  create index course_group_name on course_group (org_id, name, id);
  create index course_group_created on course_group (org_id, created_at, id);
  create index course_group_updated on course_group (org_id, updated_at, id);
  create index member_created on member (org_id, created_at, user_id);
  create index member_updated on member (org_id, updated_at, user_id);
  create index lianxi_title on lianxi (org_id, title, id);
  create index lianxi_due on lianxi (org_id, (case when due_at is null then 'infinity' else due_at end), id);
  create index lianxi_updated on lianxi (org_id, updated_at, id);
  create index jihua_title on jihua (org_id, title, id);
  create index jihua_starts on jihua (org_id, starts_on, id);
  create index jihua_ends on jihua (org_id, ends_on, id);
  create index jihua_updated on jihua (org_id, updated_at, id);
`,
);

/**
 * The class service owns the member directory. This service copies names from its events. Rows without `seq` are from
 * the time when this service owned the directory.
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

/** Closing time and maximum number of attempts of an exercise. Null: no limit, as for all existing rows. */
export const closingAndAttempts = migration(
  '106_closing_and_attempts',
  `
  alter table lianxi
    add column closes_at timestamptz(3),
    add column max_attempts int check (max_attempts > 0),
    add constraint lianxi_closes_after_due check (closes_at >= due_at);
`,
);

export const closedCourseLog = restrictLog('107_closed_log', 'course', ['domain']);

/** Erases a person only from the log of the session's org. */
export const struckInOwnOrg = migration(
  '108_struck_in_own_org',
  `
  create or replace function strike_member(org uuid, person text) returns bigint
  language sql security definer set search_path = course, pg_temp as $$
    with struck as (
      update log_entry as e set data = (
        select case when count(*) > 0 then json_build_object('members', json_agg(m)) end
        from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' <> person)
      where e.org_id = org and org = ${BOUND_ORG} and e.type = 'course.member.changed.v1' and e.data is not null
        and exists (select from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' = person)
      returning 1
    ) select count(*) from struck
  $$;
`,
);

import { BOUND_ORG, restrictLog, migration } from '@teaching/kit';

/** Whether what a machine scored is released at once, and whether keys are shown after release (rules, part 10). */
export const releaseAndKey = migration(
  '101_release_and_key',
  `
  alter table lianxi
    add column release text not null default 'manual' check (release in ('manual', 'at_once')),
    add column key text not null default 'after_release' check (key in ('after_release', 'never'));
`,
);

/** A student belongs to a plan from a day (rules, part 10); null: from the plan's first, as all did until now. */
export const studentSince = migration('102_student_since', 'alter table jihua_student add column since date');

/**
 * Names stand in the log, which is kept for good. Striking a person out of it is all that the serving role may do to
 * it: what told of that person alone becomes a number.
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

/** What is asked in one sort must not cost what the organization has. */
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

/** When a practice closes, and how often a student may hand in; as before where nobody says. */
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

/** A person is struck out of the log of the bound org only. */
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

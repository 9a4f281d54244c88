import { migration } from '@teaching/kit';

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

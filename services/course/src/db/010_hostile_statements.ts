import { BOUND_ORG, closedLog, migration } from '@teaching/kit';

export const closedCourseLog = closedLog('107_closed_log', 'course', ['domain']);

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

import { BOUND_ORG, restrictLog, migration } from '@teaching/kit';

export const closedClazzLog = restrictLog('124_closed_log', 'clazz', ['domain', 'audit']);

/** Closes ways in which a statement of one organization could read or change data of another one. */
export const orgsApart = migration(
  '125_orgs_apart',
  `
  -- How far the trail is with what the bound org did, without where the log is with that of others.
  create function trail_progress(org uuid, out last bigint, out at bigint, out waiting boolean)
  language sql stable security definer set search_path = clazz, pg_temp as $$
    select coalesce((select no from log_org where org_id = org and log = 'audit'), 0),
      coalesce((select no from follower_position where follower = 'audit' and log = 'clazz.audit'), 0),
      exists (select from log_waiting where org_id = org and log = 'audit')
    where org = ${BOUND_ORG}
  $$;
  revoke execute on function trail_progress(uuid) from public;
  grant execute on function trail_progress(uuid) to clazz_app;

  -- Of the bound org only.
  create or replace function strike_member(org uuid, person text) returns bigint
  language sql security definer set search_path = clazz, pg_temp as $$
    with struck as (
      update log_entry as e set data = (
        select case when count(*) > 0 then json_build_object('members', json_agg(m)) end
        from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' <> person)
      where e.org_id = org and org = ${BOUND_ORG} and e.type = 'clazz.member.changed.v1' and e.data is not null
        and exists (select from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' = person)
      returning 1
    ) select count(*) from struck
  $$;

  -- A hash can be met on purpose: whose lesson a student has is not to be found out by trying.
  alter table lesson_student drop constraint lesson_student_free,
    add constraint lesson_student_free
      exclude using gist (org_id with =, person with =, tstzrange(starts_at, ends_at) with &&)
      where (not override and not excused) deferrable initially immediate;
`,
);

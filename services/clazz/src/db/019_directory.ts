import { migration, tenantTable } from '@teaching/kit';

/**
 * The directory of people.
 * It is in this schema, where people are enrolled, granted hours and assigned as teachers, so that these changes do not
 * race with changes of a member.
 * Rows of the course service are copied outside the migrations, because its schema is not accessible from here.
 */
export const directory = migration(
  '114_directory',
  `
  create table member (
    org_id uuid not null,
    user_id text not null,
    role text not null,
    -- The primary one among them.
    roles text[] not null check (role = any (roles) and roles <@ '{SUPERVISOR,TEACHER,STUDENT,GUARDIAN}'),
    display_name text not null,
    given_name text,
    family_name text,
    email text,
    phone text,
    birthday date,
    external_id text,
    note text,
    status text not null default 'active' check (status in ('active', 'inactive')),
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as (lower(
      display_name || E'\\n' || coalesce(given_name, '') || E'\\n' || coalesce(family_name, '') || E'\\n' || user_id
      || E'\\n' || coalesce(external_id, '') || E'\\n' || coalesce(email, '') || E'\\n' || coalesce(phone, ''))) stored,
    primary key (org_id, user_id)
  );
  create index member_name on member (org_id, display_name, user_id);
  create index member_created on member (org_id, created_at, user_id);
  create index member_updated on member (org_id, updated_at, user_id);
  create index member_search on member using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('clazz', 'member')}

  -- What told of names: see the erasure of a person.
  create index log_entry_members on log_entry (org_id) where type = 'clazz.member.changed.v1';
  create function strike_member(org uuid, person text) returns bigint
  language sql security definer set search_path = clazz, pg_temp as $$
    with struck as (
      update log_entry as e set data = (
        select case when count(*) > 0 then json_build_object('members', json_agg(m)) end
        from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' <> person)
      where e.org_id = org and e.type = 'clazz.member.changed.v1' and e.data is not null
        and exists (select from json_array_elements(e.data -> 'members') as m where m ->> 'user_id' = person)
      returning 1
    ) select count(*) from struck
  $$;
  revoke execute on function strike_member(uuid, text) from public;
  grant execute on function strike_member(uuid, text) to clazz_app;
`,
);

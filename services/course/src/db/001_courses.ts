import { migration, tenantTable } from '@teaching/kit';

/** Categories, courses, their sections and groups, and the member directory (rules, parts 3 and 4). */
export const courses = migration(
  '001_courses',
  `
  create table course_category (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    parent_id uuid,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (org_id, id),
    constraint course_category_parent foreign key (org_id, parent_id) references course_category,
    constraint course_category_sibling unique nulls not distinct (org_id, parent_id, name)
  );
  ${tenantTable('course', 'course_category')}

  create table course (
    org_id uuid not null,
    id uuid not null,
    title text not null,
    description text not null default '',
    category_id uuid,
    teacher_id text not null,
    status text not null check (status in ('draft', 'active', 'archived')),
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as (lower(title || E'\\n' || description)) stored,
    primary key (org_id, id),
    constraint course_category_id foreign key (org_id, category_id) references course_category
  );
  create index course_created on course (org_id, created_at desc, id desc);
  create index course_teacher on course (org_id, teacher_id);
  create index course_of_category on course (org_id, category_id);
  create index course_search on course using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('course', 'course')}

  create table course_section (
    org_id uuid not null,
    id uuid not null,
    course_id uuid not null,
    parent_id uuid,
    title text not null,
    position int not null check (position >= 0),
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (org_id, id),
    unique (org_id, course_id, id),
    foreign key (org_id, course_id) references course on delete cascade,
    -- A parent is of the same course.
    foreign key (org_id, course_id, parent_id) references course_section (org_id, course_id, id),
    constraint course_section_position unique (org_id, course_id, position) deferrable initially deferred
  );
  ${tenantTable('course', 'course_section')}

  create table course_group (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    description text not null default '',
    owner_id text not null,
    org_visible boolean not null default false,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as (lower(name || E'\\n' || description)) stored,
    primary key (org_id, id)
  );
  create index course_group_visible on course_group (org_id, name, id) where org_visible;
  create index course_group_owner on course_group (org_id, owner_id);
  create index course_group_search on course_group using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('course', 'course_group')}

  create table course_group_course (
    org_id uuid not null,
    group_id uuid not null,
    course_id uuid not null,
    position int not null,
    primary key (org_id, group_id, course_id),
    foreign key (org_id, group_id) references course_group on delete cascade,
    constraint course_group_course_id foreign key (org_id, course_id) references course
  );
  create index course_group_course_course on course_group_course (org_id, course_id);
  ${tenantTable('course', 'course_group_course')}

  create table member (
    org_id uuid not null,
    user_id text not null,
    role text not null check (role in ('SUPERVISOR', 'TEACHER', 'STUDENT')),
    display_name text not null,
    external_id text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as
      (lower(display_name || E'\\n' || user_id || E'\\n' || coalesce(external_id, ''))) stored,
    primary key (org_id, user_id)
  );
  create index member_name on member (org_id, display_name, user_id);
  create index member_search on member using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('course', 'member')}
`,
);

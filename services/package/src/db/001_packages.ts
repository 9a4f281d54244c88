import { migration, tenantTable } from '@teaching/kit';

/** Packages, their items, and their published versions (rules, part 2). */
export const packages = migration(
  '001_packages',
  `
  create table course_package (
    org_id uuid not null,
    id uuid not null,
    teacher_id text not null,
    title text not null,
    description text not null default '',
    category_id uuid,
    price_minor bigint not null default 0 check (price_minor >= 0),
    currency text not null,
    total_hours numeric(12, 2) not null default 0 check (total_hours >= 0),
    validity_days int check (validity_days > 0),
    active boolean not null default true,
    published_at timestamptz(3),
    published_snapshot jsonb,
    published_version int,
    version int not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    search text not null generated always as (lower(title || E'\\n' || description)) stored,
    primary key (org_id, id),
    check (published_at is null or published_snapshot is not null)
  ) with (fillfactor = 85);
  create index course_package_created on course_package (org_id, created_at desc, id desc);
  create index course_package_teacher on course_package (org_id, teacher_id);
  create index course_package_search on course_package using gin (org_id, search public.gin_trgm_ops);
  ${tenantTable('package', 'course_package')}

  create table course_package_item (
    org_id uuid not null,
    id uuid not null,
    package_id uuid not null,
    course_id uuid not null,
    course_section_id uuid,
    title text not null,
    hours numeric(12, 2) not null check (hours >= 0),
    position int not null,
    note text,
    primary key (org_id, id),
    foreign key (org_id, package_id) references course_package on delete cascade
  ) with (fillfactor = 85);
  create index course_package_item_package on course_package_item (org_id, package_id);
  create index course_package_item_course on course_package_item (org_id, course_id);
  ${tenantTable('package', 'course_package_item')}

  -- No foreign key: what was sold stays provable after the package is gone.
  create table course_package_version (
    org_id uuid not null,
    package_id uuid not null,
    number int not null,
    snapshot jsonb not null,
    published_at timestamptz(3) not null,
    published_by text not null,
    primary key (org_id, package_id, number)
  );
  ${tenantTable('package', 'course_package_version', { app: 'select, insert' })}
`,
);

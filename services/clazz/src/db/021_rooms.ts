import { migration, tenantTable } from '@teaching/kit';

/**
 * The rooms of an org, and an index of the lessons of all classes by time. A lesson stores its room as text, listed or
 * not.
 */
export const rooms = migration(
  '116_rooms',
  `
  create table room (
    org_id uuid not null,
    id uuid not null,
    name text not null,
    capacity int check (capacity >= 0),
    note text,
    version int not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (org_id, id),
    constraint room_name unique (org_id, name)
  );
  ${tenantTable('clazz', 'room')}

  -- The condition on hours, true of every row, keeps it out of the sight of statements that do not state it, which go by
  -- class, teacher or person.
  create index lesson_time on lesson (org_id, starts_at, id) where hours >= 0;
`,
);

import { migration, tenantTable } from '@teaching/kit';

/** The guardians of students. */
export const guardians = migration(
  '121_guardians',
  `
  create table guardian (
    org_id uuid not null,
    student_id text not null,
    user_id text not null check (user_id <> student_id),
    relation text,
    money boolean not null,
    position int not null,
    primary key (org_id, student_id, user_id),
    foreign key (org_id, student_id) references member on delete cascade,
    foreign key (org_id, user_id) references member on delete cascade
  );
  create index guardian_children on guardian (org_id, user_id);
  ${tenantTable('clazz', 'guardian')}
`,
);

import { migration } from '@teaching/kit';

/**
 * The figures of a student are computed from marks and ledger entries. So each mark has the time and the class of its
 * lesson. Columns that change often are in no index, so that Postgres can update rows in place.
 */
export const marksOfStudents = migration(
  '003_marks_of_students',
  `
  -- Of the lesson, as it is now; \`counts\` unless the lesson is cancelled or deleted.
  alter table mark add column clazz_id uuid, add column at timestamptz(3), add column counts boolean;
  update mark as m set clazz_id = l.clazz_id, at = l.starts_at, counts = l.status in ('scheduled', 'held')
  from lesson as l where l.org_id = m.org_id and l.gen = m.gen and l.id = m.lesson_id;
  alter table mark alter clazz_id set not null, alter at set not null, alter counts set not null;
  create index mark_student on mark (student_id, org_id, gen, at);
  drop table student_figure;

  drop table account;
  -- The only way in: by student, also through all of an org.
  alter table entry drop constraint entry_pkey, add primary key (org_id, gen, student_id, created_at, id);
  drop index entry_student, entry_org;

  alter table lot add column open boolean generated always as (remaining <> 0) stored, set (fillfactor = 80);
  drop index lot_student, lot_expiry;
  create index lot_student on lot (student_id, org_id, gen) where open;
  create index lot_expiry on lot (org_id, gen, expires_at) where open;

  -- For listing what an org's figures are made of.
  -- The condition, true of every row, keeps it out of the sight of statements that do not state it: the planner
  -- would otherwise read an org's lessons by time where it should go by class.
  create index lesson_org on lesson (org_id, gen, starts_at) where hours >= 0;
  create index marking_org on marking (org_id, gen, marked_at);
  create index leave_org on leave (org_id, gen, decided_at) where decided_by is not null;
`,
);

/** Events contain these columns from this release on. A rebuild fills them for earlier events. */
export const makeUpAndMarkingsOfClasses = migration(
  '004_make_up_and_markings_of_classes',
  `
  -- The lesson a missed one is made up for at.
  alter table leave add column make_up_lesson_id uuid;
  create index leave_make_up on leave (student_id, org_id, gen) where make_up_lesson_id is not null;
  alter table marking add column clazz_id uuid;
`,
);

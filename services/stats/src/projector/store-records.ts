import { statement } from '@teaching/kit';
import { rowSet } from './columns.ts';
import type {
  ClazzRow,
  EntryRow,
  EnrolmentRow,
  LeaveRow,
  LessonRow,
  LotRow,
  MarkingRow,
  MarkRow,
  MemberRow,
  RollCallRow,
} from './records.ts';
import type { Tx } from './tx.ts';

/** `a = excluded.a, b = excluded.b, ...` */
const replaced = (names: string): string =>
  names
    .split(', ')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ');

/** Quarters of an hour, counted from the epoch. */
const QUARTER = (at: string): string => `date_bin('15 minutes', ${at}, timestamptz 'epoch')`;

const LESSON = rowSet<LessonRow>({
  org_id: 'uuid',
  id: 'uuid',
  clazz_id: 'uuid',
  teacher_id: 'text',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
  hours: 'numeric',
  status: 'text',
  version: 'int',
  seq: 'bigint',
});

/** A lesson as it was (null when it is new) and is now. */
export interface LessonChange {
  org_id: string;
  id: string;
  clazz_id: string;
  teacher_id: string;
  starts_at: string;
  status: string;
  old_clazz_id: string | null;
  old_teacher_id: string | null;
  old_starts_at: string | null;
  old_status: string | null;
}

const STORE_LESSONS = statement<LessonChange>(`
  insert into lesson (gen, ${LESSON.names}) select $1, ${LESSON.names} from ${LESSON.from('e', 2)}
  on conflict (org_id, gen, id) do update set ${replaced(LESSON.names)}
    where (lesson.version, lesson.seq) < (excluded.version, excluded.seq)
  returning new.org_id, new.id, new.clazz_id, new.teacher_id, new.starts_at, new.status, old.clazz_id as old_clazz_id,
    old.teacher_id as old_teacher_id, old.starts_at as old_starts_at, old.status as old_status`);

export const storeLessons = (tx: Tx, gen: number, rows: LessonRow[]): Promise<LessonChange[]> =>
  tx.query(STORE_LESSONS, gen, ...LESSON.values(rows));

const MARK = rowSet<MarkRow>({
  org_id: 'uuid',
  lesson_id: 'uuid',
  student_id: 'text',
  mark: 'text',
  marked_by: 'text',
  marked_at: 'timestamptz',
  charged_hours: 'numeric',
  revision: 'int',
  seq: 'bigint',
});

export interface MarkChange {
  org_id: string;
  lesson_id: string;
  student_id: string;
}

const STORE_MARKS = statement<MarkChange>(`
  insert into mark (gen, ${MARK.names}) select $1, ${MARK.names} from ${MARK.from('e', 2)}
  on conflict (org_id, gen, lesson_id, student_id) do update set ${replaced(MARK.names)}
    where (mark.revision, mark.seq) < (excluded.revision, excluded.seq)
  returning org_id, lesson_id, student_id`);

export const storeMarks = (tx: Tx, gen: number, rows: MarkRow[]): Promise<MarkChange[]> =>
  tx.query(STORE_MARKS, gen, ...MARK.values(rows));

const ROLL_CALL = rowSet<RollCallRow>({ org_id: 'uuid', lesson_id: 'uuid', taken_at: 'timestamptz' });
const STORE_ROLL_CALLS = statement<{ org_id: string; lesson_id: string }>(`
  insert into roll_call (gen, ${ROLL_CALL.names}) select $1, ${ROLL_CALL.names} from ${ROLL_CALL.from('e', 2)}
  on conflict (org_id, gen, lesson_id) do update set taken_at = excluded.taken_at
    where excluded.taken_at < roll_call.taken_at
  returning org_id, lesson_id`);

export const storeRollCalls = (
  tx: Tx,
  gen: number,
  rows: RollCallRow[],
): Promise<{ org_id: string; lesson_id: string }[]> => tx.query(STORE_ROLL_CALLS, gen, ...ROLL_CALL.values(rows));

const ENROLMENT = rowSet<EnrolmentRow>({
  org_id: 'uuid',
  id: 'uuid',
  clazz_id: 'uuid',
  student_id: 'text',
  status: 'text',
  during: 'tstzmultirange',
  seq: 'bigint',
});

/** When somebody's belonging to a class came or went. */
export interface EnrolmentChange {
  org_id: string;
  clazz_id: string;
  changed: string;
}

const STORE_ENROLMENTS = statement<EnrolmentChange>(`
  with stored as (
    insert into enrolment (gen, ${ENROLMENT.names}) select $1, ${ENROLMENT.names} from ${ENROLMENT.from('e', 2)}
    on conflict (org_id, gen, id) do update set ${replaced(ENROLMENT.names)} where enrolment.seq < excluded.seq
    returning new.org_id, new.clazz_id, new.student_id,
      (new.during - coalesce(old.during, '{}')) + (coalesce(old.during, '{}') - new.during) as changed,
      (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
  ), student as (
    insert into account (gen, org_id, student_id, active_enrolments)
    select $1, org_id, student_id, sum(active) from stored group by org_id, student_id having sum(active) <> 0
    on conflict (org_id, gen, student_id)
      do update set active_enrolments = account.active_enrolments + excluded.active_enrolments
    returning new.org_id, (new.active_enrolments > 0)::int - coalesce((old.active_enrolments > 0)::int, 0) as active
  ), org as (
    insert into org_account (gen, org_id, students_active)
    select $1, org_id, sum(active) from student group by org_id having sum(active) <> 0
    on conflict (org_id, gen) do update set students_active = org_account.students_active + excluded.students_active
  )
  select org_id, clazz_id, changed from stored where changed <> '{}'`);

export const storeEnrolments = (tx: Tx, gen: number, rows: EnrolmentRow[]): Promise<EnrolmentChange[]> =>
  tx.query(STORE_ENROLMENTS, gen, ...ENROLMENT.values(rows));

const CLAZZ = rowSet<ClazzRow>({
  org_id: 'uuid',
  id: 'uuid',
  name: 'text',
  status: 'text',
  lead_teacher_id: 'text',
  version: 'int',
  seq: 'bigint',
});
const STORE_CLAZZES = statement(`
  with stored as (
    insert into clazz (gen, ${CLAZZ.names}) select $1, ${CLAZZ.names} from ${CLAZZ.from('e', 2)}
    on conflict (org_id, gen, id) do update set ${replaced(CLAZZ.names)}
      where (clazz.version, clazz.seq) < (excluded.version, excluded.seq)
    returning new.org_id, (new.status = 'active')::int - coalesce((old.status = 'active')::int, 0) as active
  )
  insert into org_account (gen, org_id, clazzes_active)
  select $1, org_id, sum(active) from stored group by org_id having sum(active) <> 0
  on conflict (org_id, gen) do update set clazzes_active = org_account.clazzes_active + excluded.clazzes_active`);

export const storeClazzes = (tx: Tx, gen: number, rows: ClazzRow[]): void =>
  tx.run(STORE_CLAZZES, gen, ...CLAZZ.values(rows));

const LEAVE = rowSet<LeaveRow>({
  org_id: 'uuid',
  id: 'uuid',
  clazz_id: 'uuid',
  lesson_id: 'uuid',
  student_id: 'text',
  status: 'text',
  in_time: 'boolean',
  requested_at: 'timestamptz',
  decided_by: 'text',
  decided_at: 'timestamptz',
  seq: 'bigint',
});
const STORE_LEAVES = statement(`
  with stored as (
    insert into leave (gen, ${LEAVE.names}) select $1, ${LEAVE.names} from ${LEAVE.from('e', 2)}
    on conflict (org_id, gen, id) do update set ${replaced(LEAVE.names)} where leave.seq < excluded.seq
    returning new.org_id, new.decided_at, new.decided_by, old.decided_at as old_at, old.decided_by as old_by
  ), change as (
    select org_id, ${QUARTER('decided_at')} as at, 1 as handled from stored where decided_by is not null and decided_at is not null
    union all
    select org_id, ${QUARTER('old_at')}, -1 from stored where old_by is not null and old_at is not null
  )
  insert into org_figure (gen, org_id, at, leave_handled)
  select $1, org_id, at, sum(handled) from change group by org_id, at having sum(handled) <> 0
  on conflict (org_id, gen, at) do update set leave_handled = org_figure.leave_handled + excluded.leave_handled`);

export const storeLeaves = (tx: Tx, gen: number, rows: LeaveRow[]): void =>
  tx.run(STORE_LEAVES, gen, ...LEAVE.values(rows));

const ENTRY = rowSet<EntryRow>({
  org_id: 'uuid',
  id: 'uuid',
  student_id: 'text',
  kind: 'text',
  lot_id: 'uuid',
  amount: 'numeric',
  lesson_id: 'uuid',
  clazz_id: 'uuid',
  created_at: 'timestamptz',
});
const SUMS = `granted = account.granted + excluded.granted, consumed = account.consumed + excluded.consumed,
  balance = account.balance + excluded.balance`;
/** Entries never change, so each counts exactly when it is stored for the first time. */
const STORE_ENTRIES = statement(`
  with stored as (
    insert into entry (gen, ${ENTRY.names}) select $1, ${ENTRY.names} from ${ENTRY.from('e', 2)}
    on conflict do nothing returning org_id, student_id, kind, amount
  ), change as (
    select org_id, student_id, coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
      -coalesce(sum(amount) filter (where kind in ('consume', 'reverse')), 0) as consumed, sum(amount) as balance
    from stored group by org_id, student_id
  ), student as (
    insert into account (gen, org_id, student_id, granted, consumed, balance)
    select $1, org_id, student_id, granted, consumed, balance from change
    on conflict (org_id, gen, student_id) do update set ${SUMS}
  )
  insert into org_account (gen, org_id, granted, consumed, balance)
  select $1, org_id, sum(granted), sum(consumed), sum(balance) from change group by org_id
  on conflict (org_id, gen) do update set ${SUMS.replaceAll(' account.', ' org_account.')}`);

export const storeEntries = (tx: Tx, gen: number, rows: EntryRow[]): void =>
  tx.run(STORE_ENTRIES, gen, ...ENTRY.values(rows));

const LOT = rowSet<LotRow>({
  org_id: 'uuid',
  id: 'uuid',
  student_id: 'text',
  kind: 'text',
  granted: 'numeric',
  remaining: 'numeric',
  expires_at: 'timestamptz',
  seq: 'bigint',
});
const STORE_LOTS = statement(`
  insert into lot (gen, ${LOT.names}) select $1, ${LOT.names} from ${LOT.from('e', 2)}
  on conflict (org_id, gen, id) do update set ${replaced(LOT.names)} where lot.seq < excluded.seq`);

export const storeLots = (tx: Tx, gen: number, rows: LotRow[]): void => tx.run(STORE_LOTS, gen, ...LOT.values(rows));

const MARKING = rowSet<MarkingRow>({
  org_id: 'uuid',
  submission_id: 'uuid',
  marker_id: 'text',
  student_id: 'text',
  submitted_at: 'timestamptz',
  marked_at: 'timestamptz',
  revision: 'int',
});
const SECONDS = (alias: string): string => `extract(epoch from ${alias}.marked_at - ${alias}.submitted_at)::bigint`;
const STORE_MARKINGS = statement(`
  with stored as (
    insert into marking (gen, ${MARKING.names}) select $1, ${MARKING.names} from ${MARKING.from('e', 2)}
    on conflict (org_id, gen, submission_id) do update set ${replaced(MARKING.names)}
      where excluded.revision < marking.revision
    returning new.org_id, new.marked_at, ${SECONDS('new')} as seconds, old.marked_at as old_at, ${SECONDS('old')} as old_seconds
  ), change as (
    select org_id, ${QUARTER('marked_at')} as at, 1 as markings, seconds from stored
    union all
    select org_id, ${QUARTER('old_at')}, -1, -old_seconds from stored where old_at is not null
  )
  insert into org_figure (gen, org_id, at, markings, marking_seconds)
  select $1, org_id, at, sum(markings), sum(seconds) from change group by org_id, at
  on conflict (org_id, gen, at) do update set markings = org_figure.markings + excluded.markings,
    marking_seconds = org_figure.marking_seconds + excluded.marking_seconds`);

export const storeMarkings = (tx: Tx, gen: number, rows: MarkingRow[]): void =>
  tx.run(STORE_MARKINGS, gen, ...MARKING.values(rows));

const MEMBER = rowSet<MemberRow>({ org_id: 'uuid', user_id: 'text', display_name: 'text', seq: 'bigint' });
const STORE_MEMBERS = statement(`
  insert into member (gen, ${MEMBER.names}) select $1, ${MEMBER.names} from ${MEMBER.from('e', 2)}
  on conflict (org_id, gen, user_id) do update set ${replaced(MEMBER.names)} where member.seq < excluded.seq`);

export const storeMembers = (tx: Tx, gen: number, rows: MemberRow[]): void =>
  tx.run(STORE_MEMBERS, gen, ...MEMBER.values(rows));

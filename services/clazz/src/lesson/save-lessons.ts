import type { Lesson } from '@teaching/contracts';
import { type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { lessonsChanged } from '../cascade/lessons-changed.ts';
import { expectAtChanged, expectAtNew } from './expected.ts';
import { tellLessons } from './tell-lessons.ts';

const INSERT = statement(
  `insert into lesson (org_id, clazz_id, id, series_id, teacher_id, room, starts_at, ends_at, zone, hours, status, override,
     version, created_at, updated_at)
   select $1, $2, l.*, 1, $13, $13
   from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::text[],
     $10::numeric[], $11::text[], $12::boolean[]) as l`,
);
const UPDATE = statement(
  `update lesson set teacher_id = u.teacher_id, room = u.room, starts_at = u.starts_at, ends_at = u.ends_at, zone = u.zone,
     hours = u.hours, status = u.status, override = coalesce(u.override, lesson.override), cancelled_by = u.cancelled_by,
     cancel_reason = u.cancel_reason, version = u.version, updated_at = $13
   from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::numeric[],
     $9::text[], $10::boolean[], $11::text[], $12::text[], $14::int[])
     as u(id, teacher_id, room, starts_at, ends_at, zone, hours, status, override, cancelled_by, cancel_reason, version)
   where lesson.org_id = $1 and lesson.id = u.id`,
);

/** `before` is null for a new lesson; `override` says whether clashes are kept, absent: as it was. */
export interface LessonChange {
  before: Lesson | null;
  after: Lesson;
  override?: boolean;
}

const insert = (session: Session, clazz_id: string, changes: readonly LessonChange[]): void => {
  const rows = changes.map(({ after }) => after);
  session.run(
    INSERT,
    session.org_id,
    clazz_id,
    rows.map((row) => row.id),
    rows.map((row) => row.series_id),
    rows.map((row) => row.teacher_id),
    rows.map((row) => row.room),
    rows.map((row) => row.starts_at),
    rows.map((row) => row.ends_at),
    rows.map((row) => row.zone),
    rows.map((row) => row.hours),
    rows.map((row) => row.status),
    changes.map((change) => change.override ?? false),
    session.now,
  );
};

const update = (session: Session, changes: readonly LessonChange[]): void => {
  const rows = changes.map(({ after }) => after);
  session.run(
    UPDATE,
    session.org_id,
    rows.map((row) => row.id),
    rows.map((row) => row.teacher_id),
    rows.map((row) => row.room),
    rows.map((row) => row.starts_at),
    rows.map((row) => row.ends_at),
    rows.map((row) => row.zone),
    rows.map((row) => row.hours),
    rows.map((row) => row.status),
    changes.map((change) => change.override ?? null),
    rows.map((row) => row.cancelled_by),
    rows.map((row) => row.cancel_reason),
    session.now,
    rows.map((row) => row.version),
  );
};

const tell = (session: Session, clazz_id: string, changes: readonly LessonChange[], reason: string | null): void => {
  session.tellOnce(
    tellLessons,
    changes.map(({ after }) => after),
  );
  const entries = changes.map(({ before, after }) => ({
    action: before === null ? ('create' as const) : ('update' as const),
    entity: 'lesson' as const,
    entity_id: after.id,
    changes: changesOf(before, after),
  }));
  audit(session, clazz_id, entries, reason);
};

const idsOf = (changes: readonly LessonChange[]): string[] => changes.map(({ after }) => after.id);

/** Another room or teacher is nothing to the students; another time, state or exception is. */
const concernsStudents = ({ before, after, override }: LessonChange): boolean =>
  override !== undefined ||
  before?.starts_at !== after.starts_at ||
  before.ends_at !== after.ends_at ||
  before.status !== after.status;

/**
 * Stores changed lessons of one class, as sets, with everything that follows: expected students, events,
 * audit entries, the cascade. The class must be locked, clashes checked.
 */
export const saveLessons = async (
  session: Session,
  clazz_id: string,
  changes: readonly LessonChange[],
  reason: string | null = null,
): Promise<void> => {
  if (changes.length === 0) return;
  const created = changes.filter(({ before }) => before === null);
  const changed = changes.filter(({ before }) => before !== null);
  if (created.length > 0) insert(session, clazz_id, created);
  if (changed.length > 0) update(session, changed);
  const moved = changed.filter(concernsStudents);
  if (created.length > 0) expectAtNew(session, clazz_id, idsOf(created));
  if (moved.length > 0) expectAtChanged(session, clazz_id, idsOf(moved));
  tell(session, clazz_id, changes, reason);
  const pairs = changed.flatMap(({ before, after }) => (before === null ? [] : [{ before, after }]));
  if (pairs.length > 0) await lessonsChanged(session, pairs);
};

import { type Closed, MAX_CLOSURE_LESSONS, Problem, type ShownLesson } from '@teaching/contracts';
import { notNull, nameColumns, p, problemOf, type RowOf, type Session, statement } from '@teaching/kit';
import { promoteWaiting } from '../people/promote-waiting.ts';
import { requireOpen } from '../record/access.rules.ts';
import { withTeacherNames } from '../record/lesson-rows.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { CLAZZ, LESSON, toLesson, WIRE_LESSON } from '../record/record.tables.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { closureChanges, type ClosureSelection } from './closure.rules.ts';

/**
 * SQL condition: lesson `l` is scheduled, with the given teacher and in the given room. A null parameter matches any.
 */
const isScheduled = (teacher: string, room: string): string => `l.status = 'scheduled' and l.hours >= 0
  and (${teacher}::text is null or l.teacher_id = ${teacher}) and (${room}::text is null or l.room = ${room})`;
const named = nameColumns('l', 'teacher_id');
const SCHEDULED = {
  ...WIRE_LESSON.shape,
  ...named.shape,
  clazz_name: notNull(p.text()),
  clazz_status: notNull(CLAZZ.shape.status),
};

/** The lessons that overlap a span. The index on their start finds them, because no lesson is longer than a day. */
const FIND = statement(
  `select distinct ${WIRE_LESSON.withAlias('l')}, ${named.columns}, c.name as clazz_name, c.status as clazz_status
   from unnest($2::timestamptz[], $3::timestamptz[]) as s (from_at, to_at)
   cross join lateral (
     select * from lesson l
     where l.org_id = $1 and ${isScheduled('$5', '$6')} and ($4::uuid[] is null or l.clazz_id = any($4))
       and l.starts_at > s.from_at - interval '24 hours' and l.starts_at < s.to_at and l.ends_at > s.from_at
     offset 0
   ) l
   join clazz c on c.org_id = $1 and c.id = l.clazz_id
   order by starts_at, id limit $7`,
  SCHEDULED,
);
type ScheduledLesson = RowOf<typeof SCHEDULED>;

/** The same lessons of one class, locked. */
const LOCK = statement(
  `select ${LESSON.withAlias('l')} from lesson l
   where l.org_id = $1 and l.clazz_id = any($4::uuid[]) and ${isScheduled('$5', '$6')} and exists (
     select from unnest($2::timestamptz[], $3::timestamptz[]) as s (from_at, to_at)
     where l.starts_at < s.to_at and l.ends_at > s.from_at)
   order by l.starts_at, l.id for update`,
  LESSON.shape,
);

const selectionParams = ({ spans, teacher_id, room }: ClosureSelection, clazz_ids: readonly string[] | null) =>
  [spans.map(({ from }) => from), spans.map(({ to }) => to), clazz_ids, teacher_id, room] as const;

/** The scheduled lessons that the closure would cancel, without a lock. 400 when there are too many for one call. */
export const findScheduledLessons = async (session: Session, closing: ClosureSelection): Promise<ScheduledLesson[]> => {
  const found = await session.peek(
    FIND,
    session.org_id,
    ...selectionParams(closing, closing.clazz_ids),
    MAX_CLOSURE_LESSONS + 1,
  );
  if (found.length <= MAX_CLOSURE_LESSONS) return found;
  throw new Problem(
    'invalid_request',
    `More than ${MAX_CLOSURE_LESSONS} lessons are scheduled in this range; use a shorter range`,
  );
};

/** Locks the lessons that the closure cancels in one class, which is locked. */
const lockScheduled = (session: Session, closing: ClosureSelection, clazz_id: string) =>
  session.query(LOCK, session.org_id, ...selectionParams(closing, [clazz_id]));

/** Milliseconds kept for the answer: with less time left before the deadline, no further class is processed. */
const ANSWER_MS = 1_000;

/** Cancels the selected lessons of one class, with the effects of single cancellations. */
const closeClazz = async (session: Session, closing: ClosureSelection, clazz_id: string) => {
  const { name: clazz_name, ...clazz } = await lockClazz(session, clazz_id);
  requireOpen(clazz);
  const changes = closureChanges(await lockScheduled(session, closing, clazz_id), closing, session.now);
  await saveLessons(session, clazz_id, changes, closing.reason);
  await promoteWaiting(session);
  return changes.map(({ after }) => ({ ...toLesson(after), clazz_name }));
};

const isOpen = ({ clazz_status }: ScheduledLesson): boolean => clazz_status === 'draft' || clazz_status === 'active';
const clazzesOf = (found: readonly ScheduledLesson[]): Pick<ScheduledLesson, 'clazz_id' | 'clazz_name'>[] =>
  [...new Map(found.map((row) => [row.clazz_id, row.clazz_name]))].map(([clazz_id, clazz_name]) => ({
    clazz_id,
    clazz_name,
  }));

/** The answer of a preview: the lessons that would be cancelled, and the classes that would refuse. */
export const closurePreview = (found: readonly ScheduledLesson[]): Closed => ({
  items: found.filter(isOpen).map(({ clazz_status: _inner, ...lesson }) => lesson),
  failed: clazzesOf(found.filter((row) => !isOpen(row))).map((clazz) => ({ ...clazz, code: 'clazz_closed' })),
});

const byStart = (a: ShownLesson, b: ShownLesson): number =>
  a.starts_at.localeCompare(b.starts_at) || a.id.localeCompare(b.id);

/**
 * Closes one class after the other, each in its own transaction.
 * The answer names a class that refuses or for which no time is left; other classes keep their cancellations. Any other
 * error fails the call, which can be repeated.
 */
export const closeLessons = async (
  session: Session,
  closing: ClosureSelection,
  found: readonly ScheduledLesson[],
): Promise<Closed> => {
  const cancelled: Awaited<ReturnType<typeof closeClazz>> = [];
  const failed: Closed['failed'] = [];
  for (const clazz of clazzesOf(found)) {
    if (performance.now() > session.deadline - ANSWER_MS) {
      failed.push({ ...clazz, code: 'timeout' });
      continue;
    }
    try {
      cancelled.push(...(await session.inOwnTransaction((part) => closeClazz(part, closing, clazz.clazz_id))));
    } catch (error) {
      const { code } = problemOf(error);
      if (code === 'internal') throw error;
      failed.push({ ...clazz, code });
    }
  }
  const reader = { query: session.peek.bind(session) };
  const items = await withTeacherNames(reader, session.org_id, cancelled);
  return { items: items.toSorted(byStart), failed };
};

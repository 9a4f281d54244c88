import type { lessonCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import { SHOWN_LESSON } from '../record/record.tables.ts';
import { findConflicts } from './find-conflicts.ts';

/**
 * SQL condition: another lesson of the same teacher or room overlaps. No lesson is longer than a day, so a range of
 * starts finds it.
 */
const overlaps = (by: 'teacher_id' | 'room'): string => `exists (
  select from lesson o
  where o.org_id = l.org_id and o.${by} = l.${by} and o.id <> l.id and o.status <> 'cancelled'
    and o.starts_at < l.ends_at and o.ends_at > l.starts_at and o.starts_at > l.starts_at - interval '24 hours')`;

/** Overridden lessons that still clash. The other lesson may have been moved or cancelled meanwhile. */
const CLASHES = `(
  select l.* from lesson l
  where l.override and l.status <> 'cancelled' and (${overlaps('teacher_id')} or ${overlaps('room')})) as lesson`;

const list = pagedList({
  ...SHOWN_LESSON,
  from: CLASHES,
  sorts: { starts_at: { by: 'starts_at', type: 'timestamptz' } },
  where: {
    // The start bounds the search, because no lesson is longer than a day.
    from: `ends_at > ? and starts_at > ?::timestamptz - interval '24 hours'`,
    to: 'starts_at < ?',
  },
});

/** Lessons with an overridden clash, each with the lessons that it clashes with. */
export const listLessonClashes: Handler<typeof lessonCalls.listLessonClashes> = async ({ query }, session) => {
  const { from, to, ...page } = query;
  const where = { from: from && [from, from], to };
  const { items, next_cursor } = await list(session, { ...page, sort: 'starts_at' }, where);
  const found =
    items[0] === undefined ? [] : await findConflicts(session, items[0].clazz_id, items, { students: false });
  const rowsByLesson = Map.groupBy(found, ({ n }) => n);
  auditRead(
    session,
    'lesson',
    items.map((row) => row.clazz_id),
  );
  return {
    items: items.map((row, index) => ({
      ...row,
      conflicts: toConflicts((rowsByLesson.get(index + 1) ?? []).filter(({ lesson_id }) => lesson_id !== row.id)),
    })),
    next_cursor,
  };
};

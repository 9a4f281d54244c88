import type { lessonCalls } from '@teaching/contracts';
import { type Handler, pagedList } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { toConflicts } from '../record/conflict.rules.ts';
import { SHOWN_LESSON } from '../record/record.tables.ts';
import { findConflicts } from './find-conflicts.ts';

/** That another lesson overlaps, by teacher or by room. No lesson is longer than a day, so a range of starts finds it. */
const overlaps = (by: 'teacher_id' | 'room'): string => `exists (
  select from lesson o
  where o.org_id = l.org_id and o.${by} = l.${by} and o.id <> l.id and o.status <> 'cancelled'
    and o.starts_at < l.ends_at and o.ends_at > l.starts_at and o.starts_at > l.starts_at - interval '24 hours')`;

/** The other one may have been moved or cancelled since: then there is no clash any more. */
const CLASHES = `(
  select l.* from lesson l
  where l.override and l.status <> 'cancelled' and (${overlaps('teacher_id')} or ${overlaps('room')})) as lesson`;

const list = pagedList({
  ...SHOWN_LESSON,
  from: CLASHES,
  sorts: { starts_at: { by: 'starts_at', type: 'timestamptz' } },
  where: {
    // No lesson is longer than a day, so the start bounds what is looked at.
    from: `ends_at > ? and starts_at > ?::timestamptz - interval '24 hours'`,
    to: 'starts_at < ?',
  },
});

/** Lessons whose clash was kept, each with what it clashes with. */
export const listLessonClashes: Handler<typeof lessonCalls.listLessonClashes> = async ({ query }, session) => {
  const { from, to, ...page } = query;
  const where = { from: from && [from, from], to };
  const { items, next_cursor } = await list(session, { ...page, sort: 'starts_at' }, where);
  const found =
    items[0] === undefined ? [] : await findConflicts(session, items[0].clazz_id, items, { students: false });
  const of = Map.groupBy(found, ({ n }) => n);
  auditRead(
    session,
    'lesson',
    items.map((row) => row.clazz_id),
  );
  return {
    items: items.map((row, index) => ({
      ...row,
      conflicts: toConflicts((of.get(index + 1) ?? []).filter(({ lesson_id }) => lesson_id !== row.id)),
    })),
    next_cursor,
  };
};

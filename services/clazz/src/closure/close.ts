import type { Closed, ShownLesson } from '@teaching/contracts';
import { problemOf, type Session } from '@teaching/kit';
import { promoteWaiting } from '../people/promote-waiting.ts';
import { requireOpen } from '../record/access.rules.ts';
import { toLesson } from '../record/lesson.table.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { withTeacherNames } from '../record/with-teacher-names.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { peeking } from '../record/peeking.ts';
import { closed, type Closing } from './closing.rules.ts';
import { type Found, lockScheduled } from './find-scheduled.ts';

/** With less time than this left no class is begun any more. */
const ANSWER_MS = 1_000;

/** Cancels in one class what is scheduled there, as single cancels do. */
const closeClazz = async (session: Session, closing: Closing, clazz_id: string) => {
  const { name: clazz_name, ...clazz } = await lockClazz(session, clazz_id);
  requireOpen(clazz);
  const changes = closed(await lockScheduled(session, closing, clazz_id), closing, session.now);
  await saveLessons(session, clazz_id, changes, closing.reason);
  await promoteWaiting(session);
  return changes.map(({ after }) => ({ ...toLesson(after), clazz_name }));
};

const isOpen = ({ clazz_status }: Found): boolean => clazz_status === 'draft' || clazz_status === 'active';
const clazzesOf = (found: readonly Found[]): Pick<Found, 'clazz_id' | 'clazz_name'>[] =>
  [...new Map(found.map((row) => [row.clazz_id, row.clazz_name]))].map(([clazz_id, clazz_name]) => ({
    clazz_id,
    clazz_name,
  }));

/** What would be done. */
export const previewed = (found: readonly Found[]): Closed => ({
  items: found.filter(isOpen).map(({ clazz_status: _inner, ...lesson }) => lesson),
  failed: clazzesOf(found.filter((row) => !isOpen(row))).map((of) => ({ ...of, code: 'clazz_closed' })),
});

const byStart = (a: ShownLesson, b: ShownLesson): number =>
  a.starts_at.localeCompare(b.starts_at) || a.id.localeCompare(b.id);

/**
 * Closes class by class, each in a transaction of its own, one after the other. A class that refuses, or for which no
 * time is left, is named; the others stand. What nobody foresaw fails the call, which may be asked again.
 */
export const close = async (session: Session, closing: Closing, found: readonly Found[]): Promise<Closed> => {
  const cancelled: Awaited<ReturnType<typeof closeClazz>> = [];
  const failed: Closed['failed'] = [];
  for (const of of clazzesOf(found)) {
    if (Date.now() > session.deadline - ANSWER_MS) {
      failed.push({ ...of, code: 'timeout' });
      continue;
    }
    try {
      cancelled.push(...(await session.inOwnTransaction((part) => closeClazz(part, closing, of.clazz_id))));
    } catch (error) {
      const { code } = problemOf(error);
      if (code === 'internal') throw error;
      failed.push({ ...of, code });
    }
  }
  const items = await withTeacherNames(peeking(session), session.org_id, cancelled);
  return { items: items.toSorted(byStart), failed };
};

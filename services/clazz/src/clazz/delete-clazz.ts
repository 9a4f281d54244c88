import { clazzCalls, clazzEvents, courseReferenceCalls, Problem } from '@teaching/contracts';
import {
  notNull,
  requireVersion,
  p,
  twoStepHandler,
  requireUnused,
  type Session,
  statement,
  type ReferenceCount,
} from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { inBatches } from '../audit/event-batches.ts';
import { removeLeaves } from '../cascade/cascade-lessons.ts';
import { removeEnrolments } from '../people/save-enrolments.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { CLAZZ, LESSON, type LessonRow, toLesson } from '../record/record.tables.ts';
import { requireTransition } from './clazz.rules.ts';
import { recordClazzChange } from './save-clazz.ts';

const LOCK_ALL = statement(
  `select ${LESSON.columns} from lesson where org_id = $1 and clazz_id = $2 order by starts_at, id for update`,
  LESSON.shape,
);
const REMOVE_ALL = statement('delete from lesson where org_id = $1 and clazz_id = $2');

/** All lessons of a class, so that nothing more is hung from them. */
const lockAllLessons = (session: Session, clazz_id: string): Promise<LessonRow[]> =>
  session.query(LOCK_ALL, session.org_id, clazz_id);

/** Removes all lessons of a class, which are locked, and tells. */
const removeLessons = (session: Session, clazz_id: string, lessons: readonly LessonRow[]): void => {
  if (lessons.length === 0) return;
  session.run(REMOVE_ALL, session.org_id, clazz_id);
  for (const part of inBatches(lessons.map(({ id }) => id))) {
    session.emit(clazzEvents.lessonDeleted, clazz_id, { clazz_id, lesson_ids: part });
  }
  const entries = lessons.map((row) => ({
    action: 'delete' as const,
    entity: 'lesson' as const,
    entity_id: row.id,
    about: [row.teacher_id],
    changes: changesOf(toLesson(row), null),
  }));
  audit(session, clazz_id, entries);
};

/** Removes all that hangs from a locked class without marks, and tells of each: events and the audit trail. */
const removeContents = async (session: Session, clazz_id: string): Promise<void> => {
  // First the lessons, so that no leave is requested from one and no make-up booked at one any more.
  const lessons = await lockAllLessons(session, clazz_id);
  await removeLeaves(
    session,
    lessons.map(({ id }) => id),
  );
  removeLessons(session, clazz_id, lessons);
  await removeEnrolments(session, clazz_id);
};

/** Charges hang from marks, so a lesson that was held stays. */
const WAS_HELD = statement(
  `select exists (select from lesson l join mark_revision m on m.org_id = l.org_id and m.lesson_id = l.id
     where l.org_id = $1 and l.clazz_id = $2) as found`,
  { found: notNull(p.boolean()) },
);

const clazzReferences = async (session: Session, clazz_id: string): Promise<ReferenceCount[]> => {
  const { lianxi } = await session.peers.call(courseReferenceCalls.countReferences, { clazz_id });
  return [{ what: 'lianxi', count: lianxi }];
};

/** Removes a draft with all that hangs from it; its audit trail stays. */
export const deleteClazz = twoStepHandler(clazzCalls.deleteClazz, {
  prepare: ({ path }, session) =>
    session.deletion.announce(path.id, {
      check: async () =>
        requireTransition(requireVersion(session, await session.peekRow(CLAZZ, path.id), 'Class').status, 'delete'),
      countReferences: () => clazzReferences(session, path.id),
    }),
  run: async ({ path }, session, uses) => {
    const it = await lockClazz(session, path.id);
    session.checkVersion(it.version);
    requireTransition(it.status, 'delete');
    const held = await session.queryOne(WAS_HELD, session.org_id, it.id);
    if (held?.found === true) throw new Problem('in_use', 'Lessons of this class were held');
    requireUnused(uses);
    await removeContents(session, it.id);
    session.remove(CLAZZ, it.id);
    recordClazzChange(session, 'deleted', it, it);
    return null;
  },
});

import { clazzCalls, courseReferenceCalls, Problem } from '@teaching/contracts';
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
import { removeLeaves } from '../cascade/cascade-lessons.ts';
import { removeEnrolments } from '../people/save-enrolments.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { CLAZZ, LESSON, type LessonRow } from '../record/record.tables.ts';
import { removeLessons } from '../schedule/remove-lessons.ts';
import { requireTransition } from './clazz.rules.ts';
import { recordClazzChange } from './save-clazz.ts';

const LOCK_ALL = statement(
  `select ${LESSON.columns} from lesson where org_id = $1 and clazz_id = $2 order by starts_at, id for update`,
  LESSON.shape,
);
/** Locks all lessons of a class, so that no record that refers to them is added meanwhile. */
const lockAllLessons = (session: Session, clazz_id: string): Promise<LessonRow[]> =>
  session.query(LOCK_ALL, session.org_id, clazz_id);

/**
 * Removes the lessons, leave and enrolments of a locked class without marks. Events and audit entries record each of
 * them.
 */
const removeContents = async (session: Session, clazz_id: string): Promise<void> => {
  // Lock the lessons first: then no leave is requested from them and no make-up is booked at them.
  const lessons = await lockAllLessons(session, clazz_id);
  await removeLeaves(
    session,
    lessons.map(({ id }) => id),
  );
  removeLessons(session, clazz_id, lessons);
  await removeEnrolments(session, clazz_id);
};

/** A class with a mark cannot be deleted, because charges refer to marks. */
const HAS_MARKS = statement(
  `select exists (select from lesson l join mark_revision m on m.org_id = l.org_id and m.lesson_id = l.id
     where l.org_id = $1 and l.clazz_id = $2) as found`,
  { found: notNull(p.boolean()) },
);

const clazzReferences = async (session: Session, clazz_id: string): Promise<ReferenceCount[]> => {
  const { lianxi } = await session.peers.call(courseReferenceCalls.countReferences, { clazz_id });
  return [{ what: 'lianxi', count: lianxi }];
};

/** Deletes a draft class with its lessons, leave and enrolments. Its audit log stays. */
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
    const marked = await session.queryOne(HAS_MARKS, session.org_id, it.id);
    if (marked?.found === true) throw new Problem('in_use', 'Lessons of this class were held');
    requireUnused(uses);
    await removeContents(session, it.id);
    session.remove(CLAZZ, it.id);
    recordClazzChange(session, 'deleted', it, it);
    return null;
  },
});

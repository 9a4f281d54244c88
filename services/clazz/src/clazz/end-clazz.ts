import type { clazzCalls, Enrolment } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { openEnrolments } from '../people/read-enrolments.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { shownClazz } from '../record/member-names.ts';
import { LESSON, type LessonRow } from '../record/record.tables.ts';
import { type Cancellation, cancelledLesson, cancellationReason } from '../schedule/lesson.rules.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { requireTransition } from './clazz.rules.ts';
import { saveClazz } from './save-clazz.ts';

const FUTURE = statement(
  `select ${LESSON.columns} from lesson
   where org_id = $1 and clazz_id = $2 and status = 'scheduled' and starts_at > $3 order by starts_at, id`,
  LESSON.shape,
);

/** The scheduled lessons that have not begun. Ending the class cancels them. */
export const futureLessons = (session: Session, clazz_id: string): Promise<LessonRow[]> =>
  session.query(FUTURE, session.org_id, clazz_id, session.now);

/** An enrolment as it is after its class ended. A waiting student never belonged to the class and is `withdrawn`. */
const endedWithClazz = (it: Enrolment, as: 'completed' | 'withdrawn', now: Date): Enrolment => ({
  ...it,
  status: it.status === 'waiting' ? 'withdrawn' : as,
  until: now.toISOString(),
});

/**
 * Cancels the future lessons of a class and ends its enrolments. Returns the lessons and enrolments as they were
 * before.
 */
export const endClazz = async (
  session: Session,
  clazz_id: string,
  as: 'completed' | 'withdrawn',
  why: Omit<Cancellation, 'by'>,
): Promise<{ lessons: LessonRow[]; enrolments: Enrolment[] }> => {
  const [lessons, enrolments] = await Promise.all([
    futureLessons(session, clazz_id),
    openEnrolments(session, clazz_id),
  ]);
  const { now } = session;
  const { reason } = why;
  const how = { by: 'org' as const, ...why };
  await saveLessons(
    session,
    clazz_id,
    lessons.map((before) => ({ before, after: cancelledLesson(before, how, now) })),
    reason,
  );
  await saveEnrolments(
    session,
    clazz_id,
    enrolments.map((before) => ({ before, after: endedWithClazz(before, as, now) })),
    { reason },
  );
  return { lessons, enrolments };
};

/** draft or active → cancelled, which cannot be undone. Cancels the future lessons and ends the enrolments. */
export const cancelClazz: Handler<typeof clazzCalls.cancelClazz> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireTransition(it.status, 'cancel');
  const why = cancellationReason(body);
  await endClazz(session, it.id, 'withdrawn', why);
  return shownClazz(session, saveClazz(session, it, { ...it, status: 'cancelled' }, 'cancelled', why.reason));
};

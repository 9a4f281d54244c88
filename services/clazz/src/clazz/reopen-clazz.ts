import { type Clazz, type clazzCalls, type Enrolment, ENROLMENT_STATUSES, type Lesson } from '@teaching/contracts';
import { type Handler, type Session, statement } from '@teaching/kit';
import { z } from 'zod';
import { ENROLMENT_COLUMNS } from '../people/read-enrolments.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { toConflicts } from '../schedule/conflict.rules.ts';
import { findConflicts } from '../schedule/find-conflicts.ts';
import { lockSchedule } from '../schedule/lock-schedule.ts';
import { LESSON_COLUMNS } from '../schedule/load-lesson.ts';
import { saveLessons } from '../schedule/save-lessons.ts';
import { requireMove } from './clazz.rules.ts';
import { lockClazz, saveClazz } from './load-clazz.ts';

const Ended = z.array(z.object({ id: z.string(), status: z.enum(ENROLMENT_STATUSES) }));
const COMPLETION = statement<{ at: string; enrolments: unknown }>(
  'select at, enrolments from completion where org_id = $1 and clazz_id = $2',
);
const ENROLMENTS = statement<Enrolment>(
  `select ${ENROLMENT_COLUMNS} from enrolment where org_id = $1 and id = any($2::uuid[]) order by seq`,
);
const LESSONS = statement<Lesson & { override: boolean }>(
  `select ${LESSON_COLUMNS}, override from lesson
   where org_id = $1 and status = 'cancelled'
     and id in (select unnest(lesson_ids) from completion where org_id = $1 and clazz_id = $2) order by starts_at, id`,
);

const restoreEnrolments = async (session: Session, clazz_id: string, reason: string): Promise<void> => {
  const completion = await session.one(COMPLETION, session.org_id, clazz_id);
  if (completion === undefined) return;
  const status = new Map(Ended.parse(completion.enrolments).map((row) => [row.id, row.status]));
  const rows = await session.query(ENROLMENTS, session.org_id, [...status.keys()]);
  const changes = rows.map((before) => ({
    before,
    after: { ...before, status: status.get(before.id) ?? before.status, until: null },
  }));
  await saveEnrolments(session, clazz_id, changes, { reason, closed_at: completion.at });
};

const restored = ({ override: _stays, ...it }: Lesson & { override: boolean }, now: Date): Lesson => ({
  ...it,
  status: 'scheduled',
  cancelled_by: null,
  cancel_reason: null,
  version: it.version + 1,
  updated_at: now.toISOString(),
});

/** Brings cancelled lessons back, except those now in the past or clashing, which it names. */
const restoreLessons = async (session: Session, it: Clazz, reason: string) => {
  const lessons = await session.query(LESSONS, session.org_id, it.id);
  const now = session.now.toISOString();
  const future = lessons.filter((row) => row.starts_at > now);
  await lockSchedule(session, {
    teachers: future.map((row) => row.teacher_id),
    rooms: future.map((row) => row.room),
    clazz_ids: [it.id],
  });
  // What was an exception before stays one; what others made an exception of does not stand in the way.
  const clashes = (await findConflicts(session, it.id, future)).filter((row) => !row.override);
  const byLesson = Map.groupBy(clashes, (row) => row.n - 1);
  const clear = future.filter((row, index) => row.override || !byLesson.has(index));
  await saveLessons(
    session,
    it.id,
    clear.map((row) => ({ before: row, after: restored(row, session.now), override: row.override })),
    reason,
  );
  const back = new Set(clear.map((row) => row.id));
  const not_restored = lessons.flatMap((row) => {
    if (back.has(row.id)) return [];
    const at = future.indexOf(row);
    const why = at < 0 ? ('past' as const) : ('clash' as const);
    return [{ lesson_id: row.id, starts_at: row.starts_at, why, conflicts: toConflicts(byLesson.get(at) ?? []) }];
  });
  return { restored_lessons: clear.map((row) => row.id), not_restored };
};

/** completed → active: restores exactly what completing ended or cancelled, as far as it still lies ahead. */
export const reopenClazz: Handler<typeof clazzCalls.reopen> = async ({ path, body }, session) => {
  const it = await lockClazz(session, path.id);
  session.checkVersion(it.version);
  requireMove(it.status, 'reopen');
  const answer = saveClazz(session, it, { ...it, status: 'active', completed_at: null }, 'reopened', body.reason);
  await restoreEnrolments(session, it.id, body.reason);
  const lessons = await restoreLessons(session, answer, body.reason);
  return { ...answer, ...lessons };
};

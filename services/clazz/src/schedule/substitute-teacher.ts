import {
  type Input,
  MAX_SUBSTITUTED_LESSONS,
  type Output,
  Problem,
  type ShownLesson,
  substitutionCalls,
} from '@teaching/contracts';
import { type Handler, twoStepHandler, type Session, statement, nextVersion } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { requireNoClash } from '../record/conflict.rules.ts';
import { withTeacherNames } from '../record/lesson-rows.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { CLAZZ, LESSON, type LessonRow, toLesson } from '../record/record.tables.ts';
import { listedTeachers, requireListedTeacher } from '../record/require-listed-people.ts';
import { requireClazzes } from '../reference/missing-references.ts';
import { findConflicts } from './find-conflicts.ts';
import { findFreeTeachers } from './free-teachers.ts';
import { clazzIdOf } from './load-lesson.ts';
import { saveLessons } from './save-lessons.ts';
import { assignTeachers } from './substitution.rules.ts';

/** The free teachers who can substitute for the teacher of a lesson. */
export const listSubstituteOptions: Handler<typeof substitutionCalls.listSubstituteOptions> = async (
  { path, query },
  session,
) => {
  const { lesson_id } = path;
  const clazz_id = await clazzIdOf(session, lesson_id);
  const after = session.readCursor(query.cursor, lesson_id);
  const last = [after === null ? null : after[0] === 1, after === null ? null : String(after[1])] as const;
  const rows = await findFreeTeachers(session, [lesson_id], query.limit + 1, last);
  const items = rows.slice(0, query.limit).map(({ lesson_id: _same, ...option }) => option);
  auditRead(session, 'lesson', [clazz_id], lesson_id);
  const end = rows.length > items.length ? items.at(-1) : undefined;
  const key = end && session.signCursor([end.same_course ? 1 : 0, end.teacher_id], lesson_id);
  return { items, next_cursor: key ?? null };
};

type Body = Input<typeof substitutionCalls.substituteTeacher>['body'];

/**
 * SQL condition: the lesson `l` of org `$1` is scheduled for the teacher and overlaps the range. Null `clazzes` matches
 * any class.
 */
const isScheduledFor = ({
  teacher,
  from,
  to,
  clazzes,
}: Record<'teacher' | 'from' | 'to' | 'clazzes', string>): string =>
  `l.org_id = $1 and l.teacher_id = ${teacher} and l.status = 'scheduled'
  and l.starts_at > ${from}::timestamptz - interval '24 hours' and l.starts_at < ${to} and l.ends_at > ${from}
  and (${clazzes}::uuid[] is null or l.clazz_id = any(${clazzes}))`;
const OF_TEACHER = isScheduledFor({ teacher: '$2', from: '$3', to: '$4', clazzes: '$5' });
const NAMED = CLAZZ.pick('id', 'name');
/** The classes are locked before the lessons, in the common lock order. Closed classes are left out. */
const LOCK_CLAZZES = statement(
  `select ${NAMED.columns} from clazz
   where org_id = $1 and status in ('draft', 'active')
     and id = any(array(select l.clazz_id from lesson l where ${OF_TEACHER})) order by id for update`,
  NAMED.shape,
);
const LOCK_LESSONS = statement(
  `select ${LESSON.withAlias('l')} from lesson l where ${OF_TEACHER} order by l.starts_at, l.id limit ${MAX_SUBSTITUTED_LESSONS + 1} for update`,
  LESSON.shape,
);

/**
 * The most options for each lesson. No teacher has this many lessons at the same time, so an option is left for each.
 */
const OPTIONS = 20;

const lockLessonsOf = async (session: Session, { teacher_id, from, to, clazz_ids }: Body) => {
  const of = [session.org_id, teacher_id, from, to] as const;
  const clazzes = await session.query(LOCK_CLAZZES, ...of, clazz_ids ?? null);
  const names = new Map(clazzes.map((clazz) => [clazz.id, clazz.name]));
  const lessons = await session.query(LOCK_LESSONS, ...of, [...names.keys()]);
  if (lessons.length <= MAX_SUBSTITUTED_LESSONS) return { lessons, names };
  throw new Problem(
    'invalid_request',
    `More than ${MAX_SUBSTITUTED_LESSONS} lessons are scheduled in this range; use a shorter range`,
  );
};

/** Assigns all lessons to one teacher. 409 `schedule_conflict` with the clashes of that teacher. */
const assignAll = async (session: Session, teacher_id: string, lessons: readonly LessonRow[]) => {
  await requireListedTeacher(session, teacher_id, '/body/with');
  await lockSchedule(session, { teachers: [teacher_id] });
  const wanted = lessons.map(({ id, starts_at, ends_at }) => ({ id, starts_at, ends_at, teacher_id, room: null }));
  const ignoring = lessons.map((row) => row.id);
  requireNoClash(await findConflicts(session, session.org_id, wanted, { ignoring, students: false }), false);
  return new Map(lessons.map((row) => [row.id, teacher_id]));
};

/**
 * Assigns each lesson to the best free teacher. The teachers that are free now stay active, and the schedule lock keeps
 * other transactions from assigning them meanwhile. People are locked before the schedule, as in every change of a lesson.
 */
const assignBest = async (session: Session, lessons: readonly LessonRow[]) => {
  const ids = lessons.map((row) => row.id);
  const findOptions = () => findFreeTeachers(session, ids, OPTIONS);
  const candidates = (await findOptions()).map((row) => row.teacher_id);
  const listed = await listedTeachers(session, candidates);
  await lockSchedule(session, { teachers: [...listed] });
  const free = (await findOptions()).filter((row) => listed.has(row.teacher_id));
  const options = Map.groupBy(free, (row) => row.lesson_id);
  return assignTeachers(lessons, new Map([...options].map(([id, rows]) => [id, rows.map((row) => row.teacher_id)])));
};

/** Assigns the lessons of an absent teacher to other teachers, in one transaction. */
export const substituteTeacher = twoStepHandler(substitutionCalls.substituteTeacher, {
  prepare: ({ body }, session) => requireClazzes(session, body.clazz_ids),
  run: async ({ body }, session): Promise<Output<typeof substitutionCalls.substituteTeacher>> => {
    const { lessons, names } = await lockLessonsOf(session, body);
    if (lessons.length === 0) return { items: [], unassigned: [] };
    const assigned = await (body.with == null ? assignBest(session, lessons) : assignAll(session, body.with, lessons));
    const shown = (rows: readonly LessonRow[]): Promise<ShownLesson[]> => {
      const ofClazz = rows.map((row) => ({ ...toLesson(row), clazz_name: names.get(row.clazz_id) ?? '' }));
      return withTeacherNames(session, session.org_id, ofClazz);
    };
    const changes = lessons.flatMap((before) => {
      const teacher_id = assigned.get(before.id);
      return teacher_id === undefined ? [] : [{ before, after: nextVersion({ ...before, teacher_id }, session) }];
    });
    if (body.preview === true) auditRead(session, 'lesson', names.keys());
    else {
      for (const [clazz_id, ofClazz] of Map.groupBy(changes, ({ before }) => before.clazz_id)) {
        await saveLessons(session, clazz_id, ofClazz, 'a substitute gives the lesson');
      }
    }
    return {
      items: await shown(changes.map(({ after }) => after)),
      unassigned: await shown(lessons.filter((row) => !assigned.has(row.id))),
    };
  },
});

import { type Blocker, BLOCKERS, type clazzCalls, Problem } from '@teaching/contracts';
import { notNull, type Handler, instant, nameColumns, p, type Session, statement } from '@teaching/kit';
import { auditRead } from '../audit/record-audit.ts';
import { RELATION } from '../people/people.tables.ts';
import { openEnrolments } from '../people/read-enrolments.ts';
import { requireManager } from '../record/access.rules.ts';
import { findClazz, lockOwnClazz } from '../record/load-clazz.ts';
import { namesOf, shownClazz } from '../record/member-names.ts';
import { cancellationReason } from '../schedule/lesson.rules.ts';
import { requireTransition } from './clazz.rules.ts';
import { COMPLETION } from './completion.table.ts';
import { endClazz, futureLessons } from './end-clazz.ts';
import { saveClazz } from './save-clazz.ts';

const student = nameColumns('v', 'student_id');
const BLOCKING = statement(
  `select 'roll_call_missing' as kind, id as lesson_id, null as leave_id, null as student_id,
     null as student_name, starts_at, ends_at
   from lesson
   where org_id = $1 and clazz_id = $2 and starts_at <= $3 and (status = 'scheduled' or status = 'held' and exists (
     select from lesson_student s where s.org_id = $1 and s.lesson_id = lesson.id and s.unmarked))
   union all
   select 'leave_pending', v.lesson_id, v.id, v.student_id, ${student.columns}, l.starts_at, l.ends_at
   from leave v join lesson l on l.org_id = v.org_id and l.id = v.lesson_id
   where v.org_id = $1 and v.clazz_id = $2 and v.status = 'pending'
   order by starts_at, lesson_id, leave_id`,
  {
    kind: notNull(p.enum(BLOCKERS)),
    lesson_id: notNull(p.uuid()),
    leave_id: p.uuid().nullable(),
    student_id: p.text().nullable(),
    ...student.shape,
    starts_at: notNull(instant()),
    ends_at: notNull(instant()),
  },
);

/**
 * The blockers of completing a class: lessons that began and have no roll call or an incomplete one, and pending leave.
 */
const findBlockers = (session: Session, clazz_id: string): Promise<Blocker[]> =>
  session.query(BLOCKING, session.org_id, clazz_id, session.now);

const RELATIONS = statement(
  `select teacher_id, student_id, role from relation
   where org_id = $1 and clazz_id = $2 and upper_inf(during) order by student_id, role, teacher_id`,
  { teacher_id: RELATION.teacher_id, student_id: RELATION.student_id, role: RELATION.role },
);

/** Lists the blockers of completing the class now, and the lessons, enrolments and relations that it would end. */
export const previewClazzCompletion: Handler<typeof clazzCalls.previewClazzCompletion> = async ({ path }, session) => {
  const it = await findClazz(session, path.id);
  requireManager(session.access, it);
  requireTransition(it.status, 'complete');
  const [blockers, lessons, enrolments, relations] = await Promise.all([
    findBlockers(session, it.id),
    futureLessons(session, it.id),
    openEnrolments(session, it.id),
    session.query(RELATIONS, session.org_id, it.id),
  ]);
  const nameOf = await namesOf(session, session.org_id, [
    ...[...enrolments, ...relations].map((row) => row.student_id),
    ...relations.map((row) => row.teacher_id),
  ]);
  const named = <R extends { student_id: string }>(row: R) => ({ ...row, student_name: nameOf(row.student_id) });
  auditRead(session, 'clazz', [it.id]);
  return {
    clazz_id: it.id,
    clazz_name: it.name,
    can_complete: blockers.length === 0,
    blockers,
    lessons_to_cancel: lessons.map(({ id, starts_at, ends_at }) => ({ lesson_id: id, starts_at, ends_at })),
    enrolments_to_end: enrolments.map(({ student_id, status }) => named({ student_id, status })),
    relations_to_end: relations.map((row) => ({ ...named(row), teacher_name: nameOf(row.teacher_id) })),
  };
};

/** Replaces the record of an earlier completion, since a class may be completed again after it was reopened. */
const STORE = statement(
  `insert into completion (${COMPLETION.columns})
   select ${COMPLETION.columns} from ${COMPLETION.rowsFrom('$1')}
   on conflict (org_id, clazz_id) do update
   set at = excluded.at, lesson_ids = excluded.lesson_ids, enrolments = excluded.enrolments`,
);

/** active → completed. Records the lessons and enrolments that it ends, so that reopening restores exactly these. */
export const completeClazz: Handler<typeof clazzCalls.completeClazz> = async ({ path, body }, session) => {
  const it = await lockOwnClazz(session, path.id);
  session.checkVersion(it.version);
  requireTransition(it.status, 'complete');
  const blockers = await findBlockers(session, it.id);
  if (blockers.length > 0 && body?.force !== true) {
    throw new Problem('completion_blocked', {
      detail: `${blockers.length} blocker(s) prevent completing the class`,
      members: { blockers },
    });
  }
  const cancellation = cancellationReason(body);
  const { lessons, enrolments } = await endClazz(session, it.id, 'completed', cancellation);
  const at = session.now.toISOString();
  const ended = {
    org_id: session.org_id,
    clazz_id: it.id,
    at,
    lesson_ids: lessons.map((row) => row.id),
    enrolments: enrolments.map(({ id, status }) => ({ id, status })),
  };
  session.run(STORE, COMPLETION.toJson([ended]));
  const wanted = { ...it, status: 'completed' as const, completed_at: at };
  return shownClazz(session, saveClazz(session, it, wanted, 'completed', cancellation.reason));
};

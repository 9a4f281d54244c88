import type { Member, memberCalls } from '@teaching/contracts';
import { type Handler, nameColumns, type Session, statement } from '@teaching/kit';
import { applyStep } from '../people/enrolment.rules.ts';
import { WIRE_ENROLMENT as ENROLMENT_LISTED } from '../people/people.tables.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { CLAZZ, WIRE_LESSON as LESSON_LISTED } from '../record/record.tables.ts';
import { requireAnother } from './member.rules.ts';
import { lockMember, saveMember } from './save-member.ts';

const IN_CLAZZ = { clazz_name: CLAZZ.shape.name };
const OF_CLAZZ = 'join clazz c on c.org_id = t.org_id and c.id = t.clazz_id';

/** Locks the classes with a place, or a wish for one, that the person has: in the order of all who lock several. */
const LOCK_CLAZZES = statement(
  `select id from clazz
   where org_id = $1 and id <> all($3::uuid[]) and id = any(array(
     select clazz_id from enrolment where org_id = $1 and student_id = $2 and status in ('waiting', 'active')))
   order by id for update`,
  CLAZZ.pick('id').shape,
);
const lockClazzes = async (session: Session, user_id: string, but: readonly string[] = []): Promise<string[]> =>
  (await session.query(LOCK_CLAZZES, session.org_id, user_id, but)).map(({ id }) => id);

const student = nameColumns('t', 'student_id');
const ACTIVE = statement(
  `select ${ENROLMENT_LISTED.withAlias('t')}, c.name as clazz_name, ${student.columns} from enrolment t ${OF_CLAZZ}
   where t.org_id = $1 and t.student_id = $2 and t.status = 'active' order by t.clazz_id`,
  { ...ENROLMENT_LISTED.shape, ...IN_CLAZZ, ...student.shape },
);
const teacher = nameColumns('t', 'teacher_id');
const LESSONS = statement(
  `select ${LESSON_LISTED.withAlias('t')}, c.name as clazz_name, ${teacher.columns} from lesson t ${OF_CLAZZ}
   where t.org_id = $1 and t.teacher_id = $2 and t.status = 'scheduled' and t.starts_at > $3 order by t.starts_at, t.id`,
  { ...LESSON_LISTED.shape, ...IN_CLAZZ, ...teacher.shape },
);

/** Scheduled lessons of a teacher that have not begun. */
const lessonsOf = (session: Session, { user_id }: Member) =>
  session.query(LESSONS, session.org_id, user_id, session.now);

/** Suspends a person in each of their classes, as the call for one class does. */
const suspendAll = async (session: Session, user_id: string, reason: string, locked: ReadonlySet<string>) => {
  const active = await session.query(ACTIVE, session.org_id, user_id);
  // Enrolled while the person was waited for.
  if (active.some(({ clazz_id }) => !locked.has(clazz_id))) await lockClazzes(session, user_id, [...locked]);
  const suspended = [];
  for (const { clazz_name, student_name, ...before } of active) {
    const after = applyStep(before, 'suspend', session.now);
    await saveEnrolments(session, before.clazz_id, [{ before, after }], { reason });
    suspended.push({ ...after, clazz_name, student_name });
  }
  return suspended;
};

/** Ends the future of a person who leaves. Classes are locked before the person, as everywhere. */
export const deactivateMember: Handler<typeof memberCalls.deactivateMember> = async ({ path, body }, session) => {
  const { user_id } = path;
  requireAnother(session.actor_id, user_id);
  const locked = await lockClazzes(session, user_id);
  const before = await lockMember(session, user_id);
  const member = await saveMember(session, before, { ...before, status: 'inactive' }, body.reason);
  const suspended = await suspendAll(session, user_id, body.reason, new Set(locked));
  return { member, lessons: await lessonsOf(session, member), suspended };
};

export const activateMember: Handler<typeof memberCalls.activateMember> = async ({ path, body }, session) => {
  const before = await lockMember(session, path.user_id);
  const member = await saveMember(session, before, { ...before, status: 'active' }, body?.reason ?? null);
  return { member, lessons: await lessonsOf(session, member), suspended: [] };
};

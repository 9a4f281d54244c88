import type { Member, memberCalls } from '@teaching/contracts';
import { type Handler, nameColumns, type Session, statement } from '@teaching/kit';
import { applyStep } from '../people/enrolment.rules.ts';
import { WIRE_ENROLMENT } from '../people/people.tables.ts';
import { saveEnrolments } from '../people/save-enrolments.ts';
import { CLAZZ, WIRE_LESSON } from '../record/record.tables.ts';
import { requireOtherMember } from './member.rules.ts';
import { lockMember, saveMember } from './save-member.ts';

const IN_CLAZZ = { clazz_name: CLAZZ.shape.name };
const OF_CLAZZ = 'join clazz c on c.org_id = t.org_id and c.id = t.clazz_id';

/**
 * Locks the classes in which the person is active or waiting, except those already locked, in the common lock order.
 */
const LOCK_CLAZZES = statement(
  `select id from clazz
   where org_id = $1 and id <> all($3::uuid[]) and id = any(array(
     select clazz_id from enrolment where org_id = $1 and student_id = $2 and status in ('waiting', 'active')))
   order by id for update`,
  CLAZZ.pick('id').shape,
);
const lockClazzes = async (session: Session, user_id: string, locked: readonly string[] = []): Promise<string[]> =>
  (await session.query(LOCK_CLAZZES, session.org_id, user_id, locked)).map(({ id }) => id);

const student = nameColumns('t', 'student_id');
const ACTIVE = statement(
  `select ${WIRE_ENROLMENT.withAlias('t')}, c.name as clazz_name, ${student.columns} from enrolment t ${OF_CLAZZ}
   where t.org_id = $1 and t.student_id = $2 and t.status = 'active' order by t.clazz_id`,
  { ...WIRE_ENROLMENT.shape, ...IN_CLAZZ, ...student.shape },
);
const teacher = nameColumns('t', 'teacher_id');
const LESSONS = statement(
  `select ${WIRE_LESSON.withAlias('t')}, c.name as clazz_name, ${teacher.columns} from lesson t ${OF_CLAZZ}
   where t.org_id = $1 and t.teacher_id = $2 and t.status = 'scheduled' and t.starts_at > $3 order by t.starts_at, t.id`,
  { ...WIRE_LESSON.shape, ...IN_CLAZZ, ...teacher.shape },
);

/** The scheduled lessons of a teacher that have not begun. */
const lessonsOf = (session: Session, { user_id }: Member) =>
  session.query(LESSONS, session.org_id, user_id, session.now);

/** Suspends each active enrolment of a person, with the effects of the single call. */
const suspendAll = async (session: Session, user_id: string, reason: string, locked: ReadonlySet<string>) => {
  const active = await session.query(ACTIVE, session.org_id, user_id);
  // The person was enrolled in another class after the classes were locked.
  if (active.some(({ clazz_id }) => !locked.has(clazz_id))) await lockClazzes(session, user_id, [...locked]);
  const suspended = [];
  for (const { clazz_name, student_name, ...before } of active) {
    const after = applyStep(before, 'suspend', session.now);
    await saveEnrolments(session, before.clazz_id, [{ before, after }], { reason });
    suspended.push({ ...after, clazz_name, student_name });
  }
  return suspended;
};

/**
 * Deactivates a person: suspends the enrolments, revokes the tokens and lists the future lessons. Classes are locked
 * before the person, as everywhere.
 */
export const deactivateMember: Handler<typeof memberCalls.deactivateMember> = async ({ path, body }, session) => {
  const { user_id } = path;
  requireOtherMember(session.actor_id, user_id);
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

import type { Clazz, Enrolment } from '@teaching/contracts';
import { type Module, type Session, statement } from '@teaching/kit';
import { freedPlacesOf } from '../record/freed-places.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { takenSeats } from '../record/occupancy.ts';
import { CLAZZ } from '../record/record.tables.ts';
import { freeRoomSeats } from '../record/check-rooms.ts';
import { overlappingRows, wouldBeOnLeave } from '../schedule/find-conflicts.ts';
import { freeSeats } from './enrolment.rules.ts';
import { WIRE_ENROLMENT } from './people.tables.ts';
import { saveEnrolments } from './save-enrolments.ts';

/**
 * The first `$4` waiting students, in order, without a clash.
 * Each is checked until the first clash, and the search ends when enough are found. The clashes are those that refuse
 * enrolling, and those that would refuse resuming a suspended membership.
 */
const FREE = statement(
  `select ${WIRE_ENROLMENT.withAlias('e')} from enrolment e
   where e.org_id = $1 and e.clazz_id = $2 and e.status = 'waiting'
   and not exists (
     select from member m where m.org_id = $1 and m.user_id = e.student_id and m.status = 'inactive')
   and not exists (
     select from lesson w
     ${overlappingRows('lesson_student', 'it.student_id = e.student_id and not it.override and not it.excused')} s
     where w.org_id = $1 and w.clazz_id = $2 and w.status <> 'cancelled' and w.starts_at >= $3
       and s.clazz_id <> $2 and not ${wouldBeOnLeave('w.id', 'e.student_id')})
   and not exists (
     select from (
       select clazz_id from enrolment
       where org_id = $1 and student_id = e.student_id and status = 'suspended' and clazz_id <> $2 offset 0) k
     join lesson w on w.org_id = $1 and w.clazz_id = $2 and w.status <> 'cancelled' and w.starts_at >= $3
     ${overlappingRows('lesson', "it.clazz_id = k.clazz_id and it.status <> 'cancelled' and it.starts_at >= $3")} o
     where not ${wouldBeOnLeave('w.id', 'e.student_id')} and not ${wouldBeOnLeave('o.id', 'e.student_id')})
   and not exists (
     select from lesson w
     ${overlappingRows('lesson', "it.clazz_id = $2 and it.status <> 'cancelled'")} o
     where w.org_id = $1 and w.clazz_id = $2 and w.status <> 'cancelled' and w.starts_at >= $3
       and o.id <> w.id and o.starts_at >= $3)
   order by e.seq limit $4`,
  WIRE_ENROLMENT.shape,
);

/** The first waiting students of a class without a clash from a moment on. `most` may be infinite. */
const freeWaiting = (session: Session, clazz_id: string, since: string, most: number): Promise<Enrolment[]> =>
  session.query(FREE, session.org_id, clazz_id, since, Number.isFinite(most) ? most : null);

/**
 * Open classes with a waiting student who may profit: a seat became free there, or the student has more time. `limit`
 * and `offset 0` make Postgres search by class and by student, independent of its size estimates.
 */
const WAITED_FOR = statement(
  `select c.id from clazz c
   where c.org_id = $1 and c.status in ('draft', 'active') and c.id = any(array(
     select e.clazz_id from (
       select unnest($2::uuid[]) as clazz_id
       union select clazz_id from lesson where org_id = $1 and id = any($3::uuid[])
     ) as f cross join lateral (
       select clazz_id from enrolment where org_id = $1 and clazz_id = f.clazz_id and status = 'waiting' limit 1) as e
     union
     select e.clazz_id from (
       select unnest($4::text[]) as student_id
       union
       select p.student_id from lesson l join enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id
       where l.org_id = $1 and l.id = any($3::uuid[])
       union
       select m.student_id from make_up_credit m where m.org_id = $1 and m.lesson_id = any($3::uuid[])
     ) as s cross join lateral (
       select clazz_id from enrolment where org_id = $1 and student_id = s.student_id and status = 'waiting' offset 0
     ) as e))
   order by c.id`,
  CLAZZ.pick('id').shape,
);

/** The first waiting students, in order, who could be given the seats that are free from a moment on, by default now. */
const promotable = async (
  session: Session,
  it: Pick<Clazz, 'id' | 'capacity'>,
  since = session.now.toISOString(),
): Promise<Enrolment[]> => {
  const [taken, rooms] = await Promise.all([takenSeats(session, it.id, since), freeRoomSeats(session, it.id, since)]);
  const free = Math.min(freeSeats(it.capacity, taken), rooms);
  return free === 0 ? [] : freeWaiting(session, it.id, since, free);
};

/**
 * Gives free seats to waiting students in order. A student with a clash is skipped and stays first. Returns the number
 * of promoted students. The class is open and locked.
 * Call it before the seats of others who ask for one are judged: they get only what is left. `joining` are these
 * others; their schedule is locked together with that of the promoted students, since it can be locked only once.
 */
export const promoteIn = async (
  session: Session,
  it: Pick<Clazz, 'id' | 'capacity'>,
  joining: readonly string[] = [],
): Promise<number> => {
  const first = await promotable(session, it);
  if (first.length === 0) return 0;
  await lockSchedule(session, { students: [...first.map((row) => row.student_id), ...joining] });
  // Read again under the lock. If a student is not free after all, a constraint fails and the call is run again.
  const promoted = await promotable(session, it);
  const since = session.now.toISOString();
  const changes = promoted.map((before) => ({ before, after: { ...before, status: 'active' as const, since } }));
  await saveEnrolments(session, it.id, changes, { reason: 'a seat became free' });
  return changes.length;
};

/**
 * How many of the seats that are free from a later moment on are due to waiting students: those without a clash from
 * then on. They will be promoted at that moment, so others who ask for a seat from then on do not pass them.
 */
export const reservedSeats = async (
  session: Session,
  it: Pick<Clazz, 'id' | 'capacity'>,
  since: string,
): Promise<number> => (since <= session.now.toISOString() ? 0 : (await promotable(session, it, since)).length);

/**
 * Offers freed places and times of this transaction to waiting students, when it has committed. Each class is served in a
 * transaction of its own, so that none waits for a class while it holds another: two writes could wait for each other.
 * In a call with several transactions each of them ends with it.
 */
export const promoteWaiting = async (session: Session): Promise<void> => {
  const freed = freedPlacesOf(session);
  if (freed === undefined) return;
  const params = [[...freed.clazz_ids], [...freed.lesson_ids], [...freed.students]] as const;
  for (const { id } of await session.query(WAITED_FOR, session.org_id, ...params)) {
    session.addFollowUp(async (next) => void (await promoteInClazz(next, id)));
  }
};

/**
 * Promotes waiting students of one class, in a transaction of its own. It locks the class only if a student can be
 * promoted. A class that has ended meanwhile has no waiting student: ending withdraws them under the same lock. Returns
 * the number of promoted students.
 */
export const promoteInClazz = async (session: Session, id: string): Promise<number> => {
  const read = await session.find(CLAZZ, id);
  if (read === undefined || (await promotable(session, read)).length === 0) return 0;
  const it = await session.lock(CLAZZ, id);
  if (it === undefined) return 0;
  const promoted = await promoteIn(session, it);
  await promoteWaiting(session);
  return promoted;
};

/**
 * Wraps the writes of a module: each ends by offering freed places and times to waiting students. Places that time
 * frees, and those whose offer failed, are given by a request for a place (`promoteIn`) or by the job (`promoteOverTime`).
 */
export const promoteAfter = (module: Module): Module => ({
  ...module,
  routes: module.routes.map((route) => ({
    ...route,
    run: async (input, session, facts) => {
      const answer = await route.run(input, session, facts);
      await promoteWaiting(session);
      return answer;
    },
  })),
});

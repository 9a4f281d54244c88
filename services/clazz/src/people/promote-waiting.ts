import type { Clazz } from '@teaching/contracts';
import { type Route, type Session, statement } from '@teaching/kit';
import { freedBy } from '../record/freed.ts';
import { CLAZZ } from '../record/clazz.table.ts';
import { lockClazz } from '../record/load-clazz.ts';
import { lockSchedule } from '../record/lock-schedule.ts';
import { placesTaken } from '../record/taken-places.ts';
import { freeInRooms } from '../room/check-rooms.ts';
import { freePlaces } from './enrolment.rules.ts';
import { freeWaiting } from './free-waiting.ts';
import { saveEnrolments } from './save-enrolments.ts';

/** Classes with somebody waiting for what became free: a place there, or the time of that student. */
const WAITED_FOR = statement(
  `select c.id from clazz c
   where c.org_id = $1 and c.status in ('draft', 'active') and c.id = any(array(
     select e.clazz_id from (
       select unnest($2::uuid[]) as clazz_id
       union select clazz_id from lesson where org_id = $1 and id = any($3::uuid[])
     ) as f join enrolment e on e.org_id = $1 and e.clazz_id = f.clazz_id and e.status = 'waiting'
     union
     select e.clazz_id from (
       select unnest($4::text[]) as student_id
       union
       select p.student_id from lesson l join enrolment_period p on p.org_id = l.org_id and p.clazz_id = l.clazz_id
       where l.org_id = $1 and l.id = any($3::uuid[])
       union
       select m.student_id from make_up_credit m where m.org_id = $1 and m.lesson_id = any($3::uuid[])
     ) as s join enrolment e on e.org_id = $1 and e.student_id = s.student_id and e.status = 'waiting'))
   order by c.id`,
  CLAZZ.some('id').shape,
);

/**
 * Gives free places to waiting students in order. A student whose lessons would clash is passed over and
 * stays first. The class is locked.
 */
const promoteIn = async (session: Session, it: Pick<Clazz, 'id' | 'capacity'>): Promise<void> => {
  const since = session.now.toISOString();
  const [taken, rooms] = await Promise.all([placesTaken(session, it.id, since), freeInRooms(session, it.id, since)]);
  const free = Math.min(freePlaces(it.capacity, taken), rooms);
  if (free === 0) return;
  const first = await freeWaiting(session, it.id, since, free);
  if (first.length === 0) return;
  await lockSchedule(session, { students: first.map((row) => row.student_id) });
  // Looked at again under the lock; who is new then and not free after all is met at the constraint, and all is tried again.
  const promoted = await freeWaiting(session, it.id, since, free);
  const changes = promoted.map((before) => ({ before, after: { ...before, status: 'active' as const, since } }));
  await saveEnrolments(session, it.id, changes, { reason: 'a seat became free' });
};

/** Tries those who wait for what this transaction made free. Where a call has several, each ends with it. */
export const promoteWaiting = async (session: Session): Promise<void> => {
  const freed = freedBy(session);
  if (freed === undefined) return;
  const params = [[...freed.clazz_ids], [...freed.lesson_ids], [...freed.students]] as const;
  for (const { id } of await session.query(WAITED_FOR, session.org_id, ...params)) {
    await promoteIn(session, await lockClazz(session, id));
  }
};

/**
 * The one way from the waiting list into a class: every write, whatever it is, ends with trying those who wait for a
 * place or a time that it made free.
 */
export const promoting = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({
    ...route,
    run: async (input, session, facts) => {
      const answer = await route.run(input, session, facts);
      await promoteWaiting(session);
      return answer;
    },
  }));

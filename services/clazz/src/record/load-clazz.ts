import { p } from '@mikro-orm/postgresql';
import { type Clazz, notFound } from '@teaching/contracts';
import { always, isStaff, type Session, statement } from '@teaching/kit';
import { requireManager } from './access.rules.ts';
import { CLAZZ } from './clazz.table.ts';

/**
 * Locks one class for a change: whatever concerns its state, people or schedule takes this lock first,
 * so such changes of one class happen one after the other.
 */
export const lockClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await session.lock(CLAZZ, id);
  if (found === undefined) throw notFound('Class');
  return found;
};

/** The same for a class the caller manages. */
export const lockOwnClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await lockClazz(session, id);
  requireManager(session.caller, found);
  return found;
};

const IS_IN = statement(
  'select exists (select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3) as found',
  { found: always(p.boolean()) },
);

/** A class the caller may read: staff any, students those they are or were in; else it is not there. */
export const readClazz = async (session: Session, id: string): Promise<Clazz> => {
  const { org_id, caller } = session;
  const [found, own] = await Promise.all([
    session.find(CLAZZ, id),
    isStaff(caller) ? { found: true } : session.one(IS_IN, org_id, id, caller.user_id),
  ]);
  if (found === undefined || own?.found !== true) throw notFound('Class');
  return found;
};

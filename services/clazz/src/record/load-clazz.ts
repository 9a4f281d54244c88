import { type Clazz, notFound } from '@teaching/contracts';
import { notNull, p, type Session, statement } from '@teaching/kit';
import { requireManager } from './access.rules.ts';
import { CLAZZ } from './record.tables.ts';

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
  requireManager(session.access, found);
  return found;
};

const IS_IN = statement(
  'select exists (select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3) as found',
  { found: notNull(p.boolean()) },
);

/** Any class, for staff. */
export const findClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await session.find(CLAZZ, id);
  if (found === undefined) throw notFound('Class');
  return found;
};

/** A class the caller may read: staff any, students those they are or were in; else it is not there. */
export const readClazz = async (session: Session, id: string): Promise<Clazz> => {
  const { org_id, caller, access } = session;
  const [found, own] = await Promise.all([
    session.find(CLAZZ, id),
    access.isLimitedTo('member') ? session.queryOne(IS_IN, org_id, id, caller.user_id) : undefined,
  ]);
  if (found === undefined || !access.allows({ member: own?.found })) throw notFound('Class');
  return found;
};

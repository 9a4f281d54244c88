import { type Clazz, notFound } from '@teaching/contracts';
import { notNull, p, type Session, statement } from '@teaching/kit';
import { requireManager } from './access.rules.ts';
import { CLAZZ } from './record.tables.ts';

/**
 * Locks a class for a change of its state, people or schedule. Every such change takes this lock first, so changes of
 * one class run one after the other. 404 if it does not exist.
 */
export const lockClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await session.lock(CLAZZ, id);
  if (found === undefined) throw notFound('Class');
  return found;
};

/** The same for a class that the caller manages. 403 for other callers. */
export const lockOwnClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await lockClazz(session, id);
  requireManager(session.access, found);
  return found;
};

const IS_IN = statement(
  'select exists (select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3) as found',
  { found: notNull(p.boolean()) },
);

/** Reads a class without an access check. 404 if it does not exist. */
export const findClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await session.find(CLAZZ, id);
  if (found === undefined) throw notFound('Class');
  return found;
};

/**
 * Reads a class that the caller may access: any class for staff, for students those in which they are or were enrolled.
 * 404 for others.
 */
export const readClazz = async (session: Session, id: string): Promise<Clazz> => {
  const { org_id, caller, access } = session;
  const [found, own] = await Promise.all([
    session.find(CLAZZ, id),
    access.isLimitedTo('member') ? session.queryOne(IS_IN, org_id, id, caller.user_id) : undefined,
  ]);
  if (found === undefined || !access.allows({ member: own?.found })) throw notFound('Class');
  return found;
};

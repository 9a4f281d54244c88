import { type Clazz, clazzEvents, type EventData, notFound } from '@teaching/contracts';
import { isStaff, rowsOf, type Session, statement } from '@teaching/kit';
import { audit, changesOf } from '../audit/audit.ts';
import { CLAZZ } from './clazz.table.ts';
import { requireManager } from './clazz.rules.ts';

/**
 * Locks one class for a change: whatever concerns its state, people or schedule takes this lock first,
 * so such changes of one class happen one after the other.
 */
export const lockClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await session.one(CLAZZ.lock, session.org_id, id);
  if (found === undefined) throw notFound('Class');
  return found;
};

/** The same for a class the caller manages. */
export const lockOwnClazz = async (session: Session, id: string): Promise<Clazz> => {
  const found = await lockClazz(session, id);
  requireManager(session.caller, found);
  return found;
};

const IS_IN = statement<{ found: boolean }>(
  'select exists (select from enrolment where org_id = $1 and clazz_id = $2 and student_id = $3) as found',
);

/** A class the caller may read: staff any, students those they are or were in; else it is not there. */
export const readClazz = async (session: Session, id: string): Promise<Clazz> => {
  const { org_id, caller } = session;
  const [found, own] = await Promise.all([
    session.one(CLAZZ.read, org_id, id),
    isStaff(caller) ? { found: true } : session.one(IS_IN, org_id, id, caller.user_id),
  ]);
  if (found === undefined || own?.found !== true) throw notFound('Class');
  return found;
};

type Change = EventData<typeof clazzEvents.clazzChanged>['change'];

/** Tells everybody that a class changed, and the audit trail which fields and why. */
export const clazzChanged = (
  session: Session,
  change: Change,
  before: Clazz | null,
  after: Clazz,
  reason: string | null = null,
): void => {
  session.emit(clazzEvents.clazzChanged, after.id, { change, clazz: after });
  const action = before === null ? 'create' : change === 'deleted' ? 'delete' : 'update';
  const changes = changesOf(before, change === 'deleted' ? null : after);
  audit(session, after.id, [{ action, entity: 'clazz', entity_id: after.id, changes }], reason);
};

/** Saves a locked class as it is to be: next version, time of change, event and audit entry. */
export const saveClazz = (
  session: Session,
  before: Clazz,
  wanted: Clazz,
  change: Change,
  reason: string | null = null,
): Clazz => {
  const after = { ...wanted, version: before.version + 1, updated_at: session.now.toISOString() };
  session.run(CLAZZ.update, rowsOf(after));
  clazzChanged(session, change, before, after, reason);
  return after;
};

import { type Clazz, clazzEvents, type EventData } from '@teaching/contracts';
import { type Session, nextVersion } from '@teaching/kit';
import { audit, changesOf } from '../audit/record-audit.ts';
import { CLAZZ } from '../record/record.tables.ts';

type Change = EventData<typeof clazzEvents.clazzChanged>['change'];

/** Publishes the change of a class as an event, and records the changed fields and the reason in the audit log. */
export const recordClazzChange = (
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

/** Stores a locked class with the next version and the time of the change, and records the change. */
export const saveClazz = (
  session: Session,
  before: Clazz,
  wanted: Clazz,
  change: Change,
  reason: string | null = null,
): Clazz => {
  const after = nextVersion(wanted, session);
  session.update(CLAZZ, after);
  recordClazzChange(session, change, before, after, reason);
  return after;
};

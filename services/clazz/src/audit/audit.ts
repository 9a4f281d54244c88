import { clazzEvents, type EventData } from '@teaching/contracts';
import { type Session, traceId } from '@teaching/kit';
import { inParts } from './in-parts.ts';

type Entry = EventData<typeof clazzEvents.audited>['entries'][number];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const same = (a: unknown, b: unknown): boolean =>
  a === b || (isObject(a) && isObject(b) && JSON.stringify(a) === JSON.stringify(b));

/** Fields that differ between two states of a record, each with its value before and after. */
export const changesOf = (
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
): Entry['changes'] =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      .map((field) => [field, { before: before?.[field] ?? null, after: after?.[field] ?? null }] as const)
      .filter(([, change]) => !same(change.before, change.after)),
  );

/**
 * Puts entries about one class on the audit trail, in the transaction of what they tell about. A handler
 * that audits must be declared as a write, also when it only reads: no entry, no answer.
 */
export const audit = (
  session: Session,
  clazz_id: string,
  entries: readonly Entry[],
  reason: string | null = null,
): void => {
  const { roles, ip, request_id } = session.caller;
  const common = { clazz_id, actor_roles: [...roles], ip: ip ?? null, reason, trace_id: traceId(request_id) };
  for (const part of inParts(entries)) session.emit(clazzEvents.audited, clazz_id, { ...common, entries: part });
};

/**
 * A read, as one entry for each class it concerned. For a list of what hangs from a class `entity_id` is
 * the class.
 */
export const auditRead = (
  session: Session,
  entity: Entry['entity'],
  clazz_ids: Iterable<string>,
  entity_id?: string,
): void => {
  for (const clazz_id of new Set(clazz_ids)) {
    audit(session, clazz_id, [{ action: 'read', entity, entity_id: entity_id ?? clazz_id, changes: {} }]);
  }
};

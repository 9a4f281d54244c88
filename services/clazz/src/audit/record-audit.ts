import { isDeepStrictEqual } from 'node:util';
import { clazzEvents, type EventData } from '@teaching/contracts';
import { type EventPublisher, type Session, traceId } from '@teaching/kit';
import { AUDIT_TEXT } from './audit.tables.ts';
import { toBatches } from './event-batches.ts';
import { toTextRows, detachTexts } from './audit-texts.rules.ts';

type Entry = Omit<EventData<typeof clazzEvents.auditRecorded>['entries'][number], 'texts'>;
/** The people that the texts of an entry are about. Erasing a person erases the texts. */
interface About {
  about?: readonly string[];
}
type AuditRecord = Omit<Entry, 'clazz_id' | 'clazz_ids' | 'reason'> & About;

/** The fields that differ between two states of a record, each with its value before and after. */
export const changesOf = (
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
): Entry['changes'] =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      // The entry itself contains the time of a change.
      .filter((field) => field !== 'updated_at' || before === null || after === null)
      .map((field) => [field, { before: before?.[field] ?? null, after: after?.[field] ?? null }] as const)
      .filter(([, change]) => isDifferent(change)),
  );

const isDifferent = ({ before, after }: Entry['changes'][string]): boolean => !isDeepStrictEqual(before, after);

/** The entry with its differing fields only. An update that changed nothing has no entry. */
const withDifferences = (entry: AuditRecord): AuditRecord[] => {
  const changes = Object.fromEntries(Object.entries(entry.changes).filter(([, change]) => isDifferent(change)));
  return entry.action === 'update' && Object.keys(changes).length === 0 ? [] : [{ ...entry, changes }];
};

/** The class of all these entries. The org if they are about several classes, or about lists of several. */
const aggregateOf = (clazz_ids: Iterable<string | null>, org_id: string): string => {
  const [only, ...more] = new Set(clazz_ids);
  return more.length === 0 ? (only ?? org_id) : org_id;
};

/** The entries without their texts, which are stored beside the chain. */
const withoutTexts = (session: Session, audited: readonly (Entry & About)[]) => {
  const detached = audited.map(({ about = [], ...entry }) => detachTexts(entry, about));
  session.insert(
    AUDIT_TEXT,
    ...toTextRows(
      session.org_id,
      detached.flatMap(({ texts }) => texts),
    ),
  );
  return detached.map(({ entry: { texts, ...bare } }) => ({ ...bare, ...(texts === null ? {} : { texts }) }));
};

/** Stores the texts of the entries, and publishes all changes and reads of a transaction as one event. */
const publishAuditEntries: EventPublisher<Entry & About> = (session, audited) => {
  const { ip, request_id } = session.caller;
  const origin = { actor_roles: [...session.actor_roles], ip: ip ?? null, trace_id: traceId(request_id) };
  const entries = withoutTexts(session, audited);
  for (const part of toBatches(entries)) {
    const aggregate = aggregateOf(
      part.map((entry) => entry.clazz_id),
      session.org_id,
    );
    session.emit(clazzEvents.auditRecorded, aggregate, { ...origin, entries: part });
  }
};

/**
 * Adds entries about one class to the audit log, at the commit of the transaction that they describe.
 * A handler that audits must be declared as a write, also when it only reads: without an entry there is no answer.
 */
export const audit = (
  session: Session,
  clazz_id: string,
  entries: readonly AuditRecord[],
  reason: string | null = null,
): void =>
  session.publishOnCommit(
    publishAuditEntries,
    entries.flatMap(withDifferences).map((entry) => ({ ...entry, clazz_id, reason })),
  );

/** The same for records of no class: the policy, the holidays, the hours of a person. */
export const auditOrg = (session: Session, entries: readonly (AuditRecord & { reason: string | null })[]): void =>
  session.publishOnCommit(
    publishAuditEntries,
    entries.flatMap(({ reason, ...entry }) =>
      withDifferences(entry).map((it) => ({ ...it, clazz_id: null, clazz_ids: [], reason })),
    ),
  );

/**
 * Adds one entry for a read. For a list of records of one class `entity_id` is the class; for a list of several classes
 * it is the org.
 * An empty list has no entry, unless `entity_id` is given.
 */
export const auditRead = (
  session: Session,
  entity: Entry['entity'],
  clazz_ids: Iterable<string>,
  entity_id?: string,
): void => {
  const ids = [...new Set(clazz_ids)].toSorted();
  const [only] = ids;
  if (only === undefined && entity_id === undefined) return;
  const read = { action: 'read' as const, entity, changes: {}, reason: null };
  const entry: Entry =
    only !== undefined && ids.length === 1
      ? { ...read, entity_id: entity_id ?? only, clazz_id: only }
      : { ...read, entity_id: entity_id ?? session.org_id, clazz_id: null, clazz_ids: ids };
  session.publishOnCommit(publishAuditEntries, [entry]);
};

/**
 * Adds one entry about a member for an erasure, in the audit logs of these classes. The reason stays, because it is not
 * about a person.
 */
export const auditErasure = (
  session: Session,
  erasure: { user_id: string; clazz_ids: readonly string[]; texts: number; reason: string },
): void => {
  const { user_id, clazz_ids, texts, reason } = erasure;
  const [only, ...more] = clazz_ids.toSorted();
  const where =
    only !== undefined && more.length === 0
      ? { clazz_id: only }
      : { clazz_id: null, clazz_ids: only === undefined ? [] : [only, ...more] };
  const changes = { texts: { before: texts, after: 0 } };
  const entry = { action: 'update' as const, entity: 'member' as const, entity_id: user_id, changes, reason };
  session.publishOnCommit(publishAuditEntries, [{ ...entry, ...where }]);
};

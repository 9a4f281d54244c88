import { isDeepStrictEqual } from 'node:util';
import { clazzEvents, type EventData } from '@teaching/contracts';
import { type EventPublisher, type Session, traceId } from '@teaching/kit';
import { AUDIT_TEXT } from './audit.tables.ts';
import { inBatches } from './event-batches.ts';
import { toTextRows, detachTexts } from './audit-texts.rules.ts';

type Entry = Omit<EventData<typeof clazzEvents.auditRecorded>['entries'][number], 'texts'>;
/** The people that the texts of an entry are about: with them the texts are erased. */
interface About {
  about?: readonly string[];
}
type AuditRecord = Omit<Entry, 'clazz_id' | 'clazz_ids' | 'reason'> & About;

/** Fields that differ between two states of a record, each with its value before and after. */
export const changesOf = (
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
): Entry['changes'] =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      // When a record was changed, the entry itself says.
      .filter((field) => field !== 'updated_at' || before === null || after === null)
      .map((field) => [field, { before: before?.[field] ?? null, after: after?.[field] ?? null }] as const)
      .filter(([, change]) => isDifferent(change)),
  );

const isDifferent = ({ before, after }: Entry['changes'][string]): boolean => !isDeepStrictEqual(before, after);

/** An entry tells what differs; of an update that changed nothing there is none. */
const withDifferences = (entry: AuditRecord): AuditRecord[] => {
  const changes = Object.fromEntries(Object.entries(entry.changes).filter(([, change]) => isDifferent(change)));
  return entry.action === 'update' && Object.keys(changes).length === 0 ? [] : [{ ...entry, changes }];
};

/** The class that all of these are about; the org when they are about several, or about lists of several. */
const aggregateOf = (clazz_ids: Iterable<string | null>, org_id: string): string => {
  const [only, ...more] = new Set(clazz_ids);
  return more.length === 0 ? (only ?? org_id) : org_id;
};

/** What the chain keeps of entries; their texts are stored beside it. */
const withoutTexts = (session: Session, audited: readonly (Entry & About)[]) => {
  const kept = audited.map(({ about = [], ...entry }) => detachTexts(entry, about));
  session.insert(
    AUDIT_TEXT,
    ...toTextRows(
      session.org_id,
      kept.flatMap(({ texts }) => texts),
    ),
  );
  return kept.map(({ entry: { texts, ...bare } }) => ({ ...bare, ...(texts === null ? {} : { texts }) }));
};

/** Stores the texts of the entries and emits everything that a transaction did and read as one event. */
const publishAuditEntries: EventPublisher<Entry & About> = (session, audited) => {
  const { ip, request_id } = session.caller;
  const origin = { actor_roles: [...session.actor_roles], ip: ip ?? null, trace_id: traceId(request_id) };
  const entries = withoutTexts(session, audited);
  for (const part of inBatches(entries)) {
    const aggregate = aggregateOf(
      part.map((entry) => entry.clazz_id),
      session.org_id,
    );
    session.emit(clazzEvents.auditRecorded, aggregate, { ...origin, entries: part });
  }
};

/**
 * Puts entries about one class on the audit trail, at the commit of the transaction that they describe. A handler
 * that audits must be declared as a write, also when it only reads: no entry, no answer.
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

/** The same about what is of no class: the policy, the holidays, the hours of a person. */
export const auditOfOrg = (session: Session, entries: readonly (AuditRecord & { reason: string | null })[]): void =>
  session.publishOnCommit(
    publishAuditEntries,
    entries.flatMap(({ reason, ...entry }) =>
      withDifferences(entry).map((it) => ({ ...it, clazz_id: null, clazz_ids: [], reason })),
    ),
  );

/**
 * A read, as one entry, whatever it showed. For a list of what hangs from a class `entity_id` is the class; for
 * one that concerned several, the org. What showed nothing is no read, unless it is named.
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
 * That a person was erased, as one entry on the trails of these classes about a member.
 * The reason stays, since it is about no person.
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

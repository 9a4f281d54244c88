import { clazzEvents } from '@teaching/contracts';
import { eventsOf, type Received } from '@teaching/kit';
import type { ChainEntry } from './chain.rules.ts';

/** An entry before it is numbered, and the event it came in. */
export type Recorded = Omit<ChainEntry, 'id' | 'seq' | 'prev_hash' | 'hash'> & { event_id: string };

/** The events of both versions in their order; those of the first are about one class each. */
const audits = (batch: readonly Received[]) => {
  const first = eventsOf(batch, clazzEvents.audited).map(
    ({ data: { entries, clazz_id, reason, ...data }, ...event }) => {
      return { ...event, data: { ...data, entries: entries.map((entry) => ({ ...entry, clazz_id, reason })) } };
    },
  );
  const known = new Map([...first, ...eventsOf(batch, clazzEvents.auditRecorded)].map((event) => [event.id, event]));
  return batch.flatMap(({ id }) => known.get(id) ?? []);
};

/** Everything a batch tells the audit trail, in the order of its events. */
export const recordsIn = (batch: readonly Received[]): Recorded[] =>
  audits(batch).flatMap(({ data, ...event }) =>
    data.entries.map((entry) => ({
      org_id: event.orgid,
      clazz_id: entry.clazz_id,
      clazz_ids: ('clazz_ids' in entry ? entry.clazz_ids : undefined) ?? null,
      action: entry.action,
      entity: entry.entity,
      entity_id: entry.entity_id,
      actor_id: event.actor,
      actor_roles: data.actor_roles,
      occurred_at: event.time,
      request_id: event.requestid,
      trace_id: data.trace_id,
      ip: data.ip,
      reason: entry.reason,
      changes: entry.changes,
      event_id: event.id,
    })),
  );

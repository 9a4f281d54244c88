import { clazzEvents } from '@teaching/contracts';
import { eventsOf, type Received, type Written } from '@teaching/kit';
import type { AUDIT_TEXT } from './audit-text.table.ts';
import type { ChainEntry } from './chain.rules.ts';
import { asRows, detach, peopleIn } from './texts.rules.ts';

/** An entry before it is numbered, and the event it came in. */
export type Recorded = Omit<ChainEntry, 'id' | 'seq' | 'prev_hash' | 'hash'> & { event_id: string };

/** What a batch tells: entries, and texts that came in events from before texts were stored by who tells them. */
export interface Told {
  records: Recorded[];
  texts: Written<typeof AUDIT_TEXT>[];
}

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
export const recordsIn = (batch: readonly Received[]): Told => {
  const texts: Told['texts'] = [];
  const records = audits(batch).flatMap(({ data, ...event }) =>
    data.entries.map((told) => {
      const bare = detach(told, peopleIn(told));
      texts.push(...asRows(event.orgid, bare.texts));
      const known = 'texts' in told ? told.texts : undefined;
      const clazz_ids = 'clazz_ids' in told ? told.clazz_ids : undefined;
      const { action, entity, entity_id, clazz_id, reason, changes, texts: refs } = bare.entry;
      return {
        org_id: event.orgid,
        clazz_id,
        clazz_ids: clazz_ids ?? null,
        action,
        entity,
        entity_id,
        actor_id: event.actor,
        actor_roles: data.actor_roles,
        occurred_at: event.time,
        request_id: event.requestid,
        trace_id: data.trace_id,
        ip: data.ip,
        reason,
        changes,
        texts: known ?? refs,
        event_id: event.id,
      };
    }),
  );
  return { records, texts };
};

import { isDeepStrictEqual } from 'node:util';
import type { Envelope, EventData, EventDef } from '@teaching/contracts';
import type { Work } from '../db/connection.ts';
import { statement } from '../db/statement.ts';
import { newId } from '../ids.ts';
import { traceparent } from '../telemetry/trace.ts';

/** On whose behalf an event happens. */
export interface Origin {
  org_id: string;
  user_id: string;
  request_id: string;
}

const INSERT = statement(`
  insert into outbox (id, org_id, tx_id, subject, aggregate_id, event)
  select e.id, e.org_id, $3, e.subject, e.aggregate_id, e.event
  from unnest($1::uuid[], $2::uuid[], $4::text[], $5::text[], $6::json[])
    with ordinality as e(id, org_id, subject, aggregate_id, event, n)
  order by e.n`);

interface Pending {
  org_id: string;
  subject: string;
  aggregate_id: string;
  envelope: Envelope;
  feeds: boolean;
}

/** An event carries what its contract names, no more and no less. */
const requireExact = (event: EventDef, data: unknown): void => {
  const kept: unknown = event.data.parse(data);
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(kept)), JSON.parse(JSON.stringify(data)))) {
    throw new Error(`${event.type} is emitted with fields its contract does not name`);
  }
};

/** The events of one transaction, written in one statement just before it commits. */
export class Outbox {
  readonly tx_id = newId();
  readonly #pending: Pending[] = [];
  readonly #now: Date;
  readonly #check: boolean;

  /** `check`: compare every event with its contract; for development and tests. */
  constructor(now: Date, check = false) {
    this.#now = now;
    this.#check = check;
  }

  get count(): number {
    return this.#pending.length;
  }

  /** How many of them other services' answers are made of. */
  get feeding(): number {
    return this.#pending.filter(({ feeds }) => feeds).length;
  }

  /** `aggregate_id` orders: events of one aggregate reach consumers in the order they were emitted. */
  add<E extends EventDef>(origin: Origin, event: E, aggregate_id: string, data: EventData<E>): void {
    if (this.#check) requireExact(event, data);
    const trace = traceparent();
    this.#pending.push({
      org_id: origin.org_id,
      subject: event.subject(origin.org_id),
      aggregate_id,
      feeds: event.feeds.length > 0,
      envelope: {
        specversion: '1.0',
        id: newId(),
        source: `/${event.service}`,
        type: event.type,
        subject: aggregate_id,
        time: this.#now.toISOString(),
        datacontenttype: 'application/json',
        orgid: origin.org_id,
        txid: this.tx_id,
        actor: origin.user_id,
        requestid: origin.request_id,
        ...(trace === undefined ? {} : { traceparent: trace }),
        data,
      },
    });
  }

  write(connection: Work): void {
    const rows = this.#pending;
    if (rows.length === 0) return;
    connection.run(INSERT, [
      rows.map((row) => row.envelope.id),
      rows.map((row) => row.org_id),
      this.tx_id,
      rows.map((row) => row.subject),
      rows.map((row) => row.aggregate_id),
      rows.map((row) => JSON.stringify(row.envelope)),
    ]);
  }
}

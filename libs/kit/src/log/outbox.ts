import { isDeepStrictEqual } from 'node:util';
import type { EventData, EventDef, LogKind } from '@teaching/contracts';
import { newId } from '../base/ids.ts';
import type { StatementRunner } from '../db/connection.ts';
import { statement } from '../db/statement.ts';
import type { Origin, Outbox } from '../rpc/transactions.ts';
import { traceparent } from '../telemetry/trace.ts';

/** For transactions with one event, which are most. */
const INSERT_ONE = statement(`
  insert into log_entry (tx_id, happened_at, log, id, org_id, type, aggregate_id, actor, request_id, trace, data)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);
const INSERT = statement(`
  insert into log_entry (tx_id, happened_at, log, id, org_id, type, aggregate_id, actor, request_id, trace, data)
  select $1, $2, e.log, e.id, e.org_id, e.type, e.aggregate_id, e.actor, e.request_id, e.trace, e.data
  from unnest($3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::uuid[], $10::text[], $11::json[])
    with ordinality as e(log, id, org_id, type, aggregate_id, actor, request_id, trace, data, n)
  order by e.n`);

interface Pending {
  log: LogKind;
  id: string;
  origin: Origin;
  type: string;
  aggregate_id: string;
  trace: string | null;
  data: string;
  feeds: boolean;
}

/** The parameters of the statements, from the third on. */
const valuesOf = ({ log, id, origin, type, aggregate_id, trace, data }: Pending): unknown[] => {
  const { org_id, user_id, request_id } = origin;
  return [log, id, org_id, type, aggregate_id, user_id, request_id, trace, data];
};

/** Throws unless an event has exactly the fields that its contract names. */
const requireExact = (event: EventDef, data: unknown): void => {
  const parsed: unknown = event.data.parse(data);
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parsed)), JSON.parse(JSON.stringify(data)))) {
    throw new Error(`${event.type} is emitted with fields its contract does not name`);
  }
};

/** Writes the events of one transaction into the log, in one statement. They are numbered after the commit. */
export class LogOutbox implements Outbox {
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

  get feedingCount(): number {
    return this.#pending.filter(({ feeds }) => feeds).length;
  }

  add<E extends EventDef>(origin: Origin, event: E, aggregate_id: string, data: EventData<E>): void {
    if (this.#check) requireExact(event, data);
    this.#pending.push({
      log: event.log,
      id: newId(),
      origin,
      type: event.type,
      aggregate_id,
      trace: traceparent() ?? null,
      data: JSON.stringify(data),
      feeds: event.feeds.length > 0,
    });
  }

  write(connection: StatementRunner): void {
    const rows = this.#pending.map(valuesOf);
    const [first, ...more] = rows;
    if (first === undefined) return;
    if (more.length === 0) connection.run(INSERT_ONE, [this.tx_id, this.#now, ...first]);
    else connection.run(INSERT, [this.tx_id, this.#now, ...first.map((_, column) => rows.map((row) => row[column]))]);
  }
}

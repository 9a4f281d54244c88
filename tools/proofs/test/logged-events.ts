import { isDeepStrictEqual } from 'node:util';
import type { QueryResultRow } from 'pg';
import type { EventData, EventDef } from '../../../libs/contracts/src/index.ts';
import type { ServiceName } from '@teaching/local/secrets.ts';

/** An event in a log, with or without a number yet. */
export interface LoggedEvent<D = unknown> {
  id: string;
  org_id: string;
  tx_id: string;
  type: string;
  aggregate_id: string;
  request_id: string;
  data: D;
}

/** Reads the events that a service has published so far, in order. */
export interface EventLog {
  /** Events of one type and version. Throws when the data differs from the contract. */
  <E extends EventDef>(service: ServiceName, event: E): Promise<LoggedEvent<EventData<E>>[]>;
  /** Events of one name, for example `clazz.lesson.changed`, in any version; all without a name. */
  (service: ServiceName, name?: string): Promise<LoggedEvent[]>;
}

type Sql = <R extends QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>;

const checked = (event: EventDef, logged: LoggedEvent): LoggedEvent => {
  const data: unknown = event.data.parse(logged.data);
  if (isDeepStrictEqual(data, logged.data)) return logged;
  throw new Error(
    `${logged.type} ${logged.id} contains more than its contract declares: ${JSON.stringify(logged.data)}`,
  );
};

export const eventLogOf = (sql: Sql): EventLog => {
  const read = (service: ServiceName, types: string): Promise<LoggedEvent[]> =>
    sql(
      `select id, org_id, tx_id, type, aggregate_id, request_id, data from ${service}.log_entry
       where type like $1 order by seq`,
      [types],
    );
  const readEvents = async (service: ServiceName, what: EventDef | string = ''): Promise<LoggedEvent[]> => {
    if (typeof what === 'string') return read(service, what === '' ? '%' : `${what}.v%`);
    const events = await read(service, what.type);
    return events.map((one) => checked(what, one));
  };
  return readEvents;
};

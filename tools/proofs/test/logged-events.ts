import { isDeepStrictEqual } from 'node:util';
import type { QueryResultRow } from 'pg';
import type { EventData, EventDef } from '../../../libs/contracts/src/index.ts';
import type { ServiceName } from '@teaching/local/secrets.ts';

/** An event as it lies in a log, or waits for its number. */
export interface LoggedEvent<D = unknown> {
  id: string;
  org_id: string;
  tx_id: string;
  type: string;
  aggregate_id: string;
  request_id: string;
  data: D;
}

/** What a service has told so far, in order. */
export interface EventLog {
  /** Of one type and version; its data is as the contract declares it, and has nothing besides. */
  <E extends EventDef>(service: ServiceName, event: E): Promise<LoggedEvent<EventData<E>>[]>;
  /** Of one name (`clazz.lesson.changed`) in any version, or all. */
  (service: ServiceName, name?: string): Promise<LoggedEvent[]>;
}

type Sql = <R extends QueryResultRow>(text: string, values?: unknown[]) => Promise<R[]>;

const checked = (event: EventDef, told: LoggedEvent): LoggedEvent => {
  const data: unknown = event.data.parse(told.data);
  if (isDeepStrictEqual(data, told.data)) return told;
  throw new Error(`${told.type} ${told.id} told more than its contract says: ${JSON.stringify(told.data)}`);
};

export const eventLogOf = (sql: Sql): EventLog => {
  const read = (service: ServiceName, types: string): Promise<LoggedEvent[]> =>
    sql(
      `select id, org_id, tx_id, type, aggregate_id, request_id, data from ${service}.log_entry
       where type like $1 order by seq`,
      [types],
    );
  const tell = async (service: ServiceName, what: EventDef | string = ''): Promise<LoggedEvent[]> => {
    if (typeof what === 'string') return read(service, what === '' ? '%' : `${what}.v%`);
    const told = await read(service, what.type);
    return told.map((one) => checked(what, one));
  };
  return tell;
};

import type { LogKind } from '@teaching/contracts';
import { sequenceText } from './place.ts';

/** A numbered event as it lies in the log. `data` is JSON text; null once it was erased. */
export interface EntryRow {
  log: LogKind;
  epoch: number;
  no: number;
  id: string;
  org_id: string;
  tx_id: string;
  /** The id of the org's event before it in this log. */
  previous_id: string | null;
  type: string;
  aggregate_id: string;
  actor: string;
  request_id: string;
  trace: string | null;
  happened_at: string;
  data: string | null;
}

/** What its own transaction wrote of an entry, but for the data; number and predecessor are given later. */
const WRITTEN = ['log', 'id', 'org_id', 'tx_id', 'type', 'aggregate_id', 'actor', 'request_id', 'trace', 'happened_at'];

/** The same for a select list, from the table that is called so there. */
export const writtenOf = (alias: string): string => WRITTEN.map((name) => `${alias}.${name}`).join(', ');

const optional = (name: string, value: string | null): string =>
  value === null ? '' : `"${name}":${JSON.stringify(value)},`;

/** The envelope of an entry as JSON text (CloudEvents 1.0, see `Envelope`). */
export const envelopeText = (service: string, row: EntryRow): string =>
  `{"specversion":"1.0","id":"${row.id}","source":"/${service}","type":"${row.type}",` +
  `"subject":${JSON.stringify(row.aggregate_id)},"time":"${row.happened_at}","datacontenttype":"application/json",` +
  `"orgid":"${row.org_id}","txid":"${row.tx_id}","actor":${JSON.stringify(row.actor)},"requestid":"${row.request_id}",` +
  optional('traceparent', row.trace) +
  optional('previousid', row.previous_id) +
  `"sequence":"${sequenceText(row)}","data":${row.data ?? 'null'}}`;

/** `clazz.hours.moved` of `clazz.hours.moved.v2`. */
export const nameOf = (type: string): string => type.slice(0, type.lastIndexOf('.v'));

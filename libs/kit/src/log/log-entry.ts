import { always, bigint, p, type RowOf } from '../db/columns.ts';
import { LOG_ENTRY } from './log.table.ts';
import { sequenceText } from './offset.ts';

/** What its own transaction wrote of an entry, but for the data; number and predecessor are given later. */
export const ENTRY_AS_WRITTEN = LOG_ENTRY.without('seq', 'data');

/** A numbered entry as it is selected. */
export const NUMBERED_ENTRY = {
  ...ENTRY_AS_WRITTEN.shape,
  /** The epoch that gave the number. */
  epoch: always(p.integer()),
  no: always(bigint()),
  /** The id of the org's event before it in this log. */
  previous_id: p.uuid().nullable(),
  /** JSON text; null once it was erased. */
  data: p.text().nullable(),
};

/** A numbered event as it lies in the log. */
export type EntryRow = RowOf<typeof NUMBERED_ENTRY>;

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
export const eventNameOf = (type: string): string => type.slice(0, type.lastIndexOf('.v'));

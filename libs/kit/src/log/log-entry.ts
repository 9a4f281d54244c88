import { notNull, bigint, p, type RowOf } from '../db/columns.ts';
import { LOG_ENTRY } from './log.table.ts';
import { sequenceText } from './offset.ts';

/** The columns of an entry that its own transaction wrote, without the data. Number and predecessor are added later. */
export const ENTRY_AS_WRITTEN = LOG_ENTRY.omit('seq', 'data');

/** The columns of a numbered entry. */
export const NUMBERED_ENTRY = {
  ...ENTRY_AS_WRITTEN.shape,
  /** The epoch in which the number was given. */
  epoch: notNull(p.integer()),
  no: notNull(bigint()),
  /** The id of the organization's previous event in this log. */
  previous_id: p.uuid().nullable(),
  /** JSON text; null after erasure. */
  data: p.text().nullable(),
};

/** A numbered event of the log. */
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

/** The name without the version, such as `clazz.hours.moved` of `clazz.hours.moved.v2`. */
export const eventNameOf = (type: string): string => type.slice(0, type.lastIndexOf('.v'));

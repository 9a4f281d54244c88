import { stringify } from 'csv-stringify/sync';

/** Every field of a record, in the order of the columns. A new one goes to the end: readers count columns. */
type Columns<T> = Readonly<Record<keyof T & string, 'text' | 'decimal'>>;

/** A decimal stays a number for a spreadsheet, below zero too; of what is no text the JSON is shown. */
const cell = (value: unknown, kind: 'text' | 'decimal'): unknown => {
  if (kind === 'decimal' && value !== null) return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};

/**
 * Records as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front. `header`
 * belongs to the first part of an export only.
 */
export const csvOf = <T extends object>(kinds: Columns<T>) => {
  const columns = Object.keys(kinds) as (keyof T & string)[];
  const decimals = columns.map((column) => kinds[column] === 'decimal');
  const asShown = (value: number, { index }: { index: number }): string =>
    decimals[index] === true ? value.toFixed(2) : String(value);
  return (records: readonly T[], header: boolean): string =>
    stringify(
      records.map((record) => columns.map((column) => cell(record[column], kinds[column]))),
      { header, columns, escape_formulas: true, record_delimiter: '\r\n', cast: { number: asShown } },
    );
};

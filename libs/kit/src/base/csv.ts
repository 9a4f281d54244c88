/**
 * Matches the beginning of a text that spreadsheets run as a formula: one of these characters, also in full-width and
 * small form, after white space and invisible characters. A leading tab or line end matches too, since some readers
 * drop it.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/u;
/** Matches text that a reader of RFC 4180, or a spreadsheet with any separator, would split or trim without quotes. */
const SPLIT_OR_TRIMMED = /[",;\p{Cc}\u2028\u2029]|^[\s\p{C}]|[\s\p{C}]$/u;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Numbers stay numbers, objects become JSON, and a missing value becomes an empty cell. */
const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) ? `'${text}` : text;
};

/** An exact decimal, also a negative one, stays a number for spreadsheets. */
const decimalOf = (value: unknown): string =>
  typeof value === 'string' && DECIMAL.test(value) ? value : textOf(value);

const TEXTS = { text: textOf, decimal: decimalOf };

const quote = (text: string): string => (SPLIT_OR_TRIMMED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A row with its line end. Readers skip an empty line, so a single empty cell is quoted. */
const rowOf = (texts: readonly string[]): string => `${texts.map(quote).join(',') || '""'}\r\n`;

/**
 * Writes a table as CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in front. All
 * other texts are read back unchanged.
 */
export const toCsv = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => rowOf(row.map(textOf))).join('');

/** Every field of a record, in column order. New fields go to the end: readers count columns. */
export type CsvColumns<T> = Readonly<Record<keyof T & string, keyof typeof TEXTS>>;

/** Only the first part of an export has the headings and, if `bom` is set, a byte-order mark before them. */
export interface CsvPart {
  isFirst: boolean;
  bom?: boolean | undefined;
}

/** Returns a function that writes records of one kind as CSV, one part at a time. */
export const csvWriter = <T extends object>(columns: CsvColumns<T>) => {
  const names = Object.keys(columns) as (keyof T & string)[];
  return (records: readonly T[], { isFirst, bom = false }: CsvPart): string => {
    const head = isFirst ? `${bom ? '\uFEFF' : ''}${toCsv([names])}` : '';
    return head + records.map((record) => rowOf(names.map((name) => TEXTS[columns[name]](record[name])))).join('');
  };
};

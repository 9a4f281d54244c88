import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');
/** Text in one line, as it is promised: where lines break means nothing, and `¦` stands for `|` in a table. */
const inOneLine = (text: string): string => text.replaceAll('¦', '|').replaceAll(/\s+/g, ' ').trim();

/** The tables: a section for each document, a row for each promise. */
const promises = read('docs/promises.md')
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [document = '', ...lines] = section.split('\n');
    const rows = lines.filter((line) => line.startsWith('| ')).slice(1);
    return rows.map((row) => {
      const [promise = '', tests = ''] = row.replaceAll(/^\| | \|$/g, '').split(' | ');
      return { document, promise, tests };
    });
  });

/** The files of each row, with the titles that follow them. */
const named = promises.flatMap(({ promise, tests }) =>
  tests.split('<br>').map((part) => {
    const [, file = '', list = ''] = /^`([^`]+)`: “(.+)”$/.exec(part) ?? [];
    return { promise, file, titles: list.split('”, “') };
  }),
);

/** Whether a text stands in a source as a literal of its own. */
const isTitle = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`));

describe('every promise', () => {
  it('is read from the table', () => {
    expect(promises.length).toBeGreaterThan(100);
    expect(promises.filter(({ promise, tests }) => promise === '' || tests === '')).toEqual([]);
    expect(named.filter(({ file, titles }) => file === '' || titles.includes(''))).toEqual([]);
  });

  it('stands in its document', () => {
    const gone = promises.filter(({ document, promise }) => !inOneLine(read(document)).includes(inOneLine(promise)));
    expect(gone.map(({ document, promise }) => `${document}: ${promise}`)).toEqual([]);
  });

  it('is held by tests that are there', () => {
    const missing = named.flatMap(({ promise, file, titles }) => {
      if (!existsSync(`${ROOT}${file}`)) return [`${promise}: there is no ${file}`];
      const source = read(file);
      return titles.filter((title) => !isTitle(source, title)).map((title) => `${file} has no test “${title}”`);
    });
    expect([...new Set(missing)]).toEqual([]);
  });
});

import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

const TABLE = 'docs/promises.md';
/** The tables: a section for each document, a row for each promise. */
const promises = read(TABLE)
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [document = '', ...lines] = section.split('\n');
    return lines
      .filter((line) => line.startsWith('| P'))
      .map((row) => {
        const [id = '', tests = ''] = row.replaceAll(/^\| | \|$/g, '').split(' | ');
        return { document, id, tests };
      });
  });

/** The files of each row, with the titles that follow them. */
const named = promises.flatMap(({ id, tests }) =>
  tests.split('<br>').map((part) => {
    const [, file = '', list = ''] = /^`([^`]+)`: “(.+)”$/.exec(part) ?? [];
    return { id, file, titles: list.split('”, “') };
  }),
);

/** Each document with the ids that stand in it. */
const marked = globSync(['*.md', '{docs,libs,deploy,apps,services,examples}/**/*.md'], { cwd: ROOT })
  .filter((file) => file !== TABLE && !file.includes('node_modules'))
  .flatMap((file) => [...read(file).matchAll(/<!-- (P\d+) -->/g)].map(([, id]) => `${file} ${id}`));

/** Whether a text stands in a source as a literal of its own. */
const isTitle = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`));

describe('every promise', () => {
  it('is read from the table, and has an id of its own', () => {
    expect(promises.length).toBeGreaterThan(100);
    expect(new Set(promises.map(({ id }) => id)).size).toBe(promises.length);
    expect(named.filter(({ file, titles }) => file === '' || titles.includes(''))).toEqual([]);
  });

  it('stands in its document once, and each id of a document in the table', () => {
    expect(marked.toSorted()).toEqual(promises.map(({ document, id }) => `${document} ${id}`).toSorted());
  });

  it('is held by tests that are there', () => {
    const missing = named.flatMap(({ id, file, titles }) => {
      if (!existsSync(`${ROOT}${file}`)) return [`${id}: there is no ${file}`];
      const source = read(file);
      return titles.filter((title) => !isTitle(source, title)).map((title) => `${file} has no test “${title}”`);
    });
    expect([...new Set(missing)]).toEqual([]);
  });
});

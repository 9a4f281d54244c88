import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8');

const TABLE = 'docs/promises.md';
const promises = read(TABLE)
  .split('\n')
  .filter((line) => line.startsWith('| P'))
  .map((row) => {
    const [id = '', tests = ''] = row.replaceAll(/^\| | \|$/g, '').split(' | ');
    return { id, tests };
  });

/** The test files of each promise, with the titles that follow them in the table. */
const testsByPromise = promises.flatMap(({ id, tests }) =>
  tests.split('<br>').map((part) => {
    const [, file = '', list = ''] = /^`([^`]+)`: “(.+)”$/.exec(part) ?? [];
    return { id, file, titles: list.split('”, “') };
  }),
);

/** The ids that the documents contain, as often as they contain them. */
const idsInDocuments = globSync(['*.md', '{docs,libs,deploy,apps,services,examples}/**/*.md'], { cwd: ROOT })
  .filter((file) => file !== TABLE && !file.includes('node_modules'))
  .flatMap((file) => [...read(file).matchAll(/<!-- (P\d+) -->/g)].map(([, id]) => id));

/** Whether a source contains a text as a string literal. */
const hasLiteral = (source: string, text: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${text.replaceAll(quote, `\\${quote}`)}${quote}`));

describe('The table of promises', () => {
  it('has a row of its own for each id', () => {
    expect(promises.length).toBeGreaterThan(100);
    expect(new Set(promises.map(({ id }) => id)).size).toBe(promises.length);
    expect(testsByPromise.filter(({ file, titles }) => file === '' || titles.includes(''))).toEqual([]);
  });

  it('has the ids that the documents contain, each in one place', () => {
    expect(idsInDocuments.toSorted()).toEqual(promises.map(({ id }) => id).toSorted());
  });

  it('names only tests that exist', () => {
    const missing = testsByPromise.flatMap(({ id, file, titles }) => {
      if (!existsSync(`${ROOT}${file}`)) return [`${id}: there is no ${file}`];
      const source = read(file);
      return titles.filter((title) => !hasLiteral(source, title)).map((title) => `${file} has no test “${title}”`);
    });
    expect([...new Set(missing)]).toEqual([]);
  });
});

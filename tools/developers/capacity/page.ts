import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Figures } from './figures.ts';
import { profileWith } from './profile.ts';
import { type Section, sections } from './report.ts';

/** Organizations that the page shows the sizes of. */
export const SHOWN = [10, 1_000, 100_000];

const PAGE = fileURLToPath(new URL('../../../docs/capacity.md', import.meta.url));
const TABLE = /(?<begin><!-- table: (?<name>\w+) -->\n)[^]*?(?<end><!-- end -->)/g;

const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
/** Numbers, with a unit or without, stand to the right. */
const NUMBER = /^([\d.,]+( (%|[A-Z]B(\/s)?|MiB))?)?$/;
const markdown = ({ head, rows }: Section): string => {
  const rule = head.map((_, column) => (rows.every((row) => NUMBER.test(row[column] ?? '')) ? '--:' : '---'));
  return [head, rule, ...rows].map(lineOf).join('');
};

/** The page, and what it should be for these figures: every table between its marks, and the text as it is. */
export const pageFor = (figures: Figures): { now: string; due: string; tables: string[] } => {
  const now = readFileSync(PAGE, 'utf8');
  const known = sections(SHOWN, figures, profileWith());
  const tables: string[] = [];
  const due = now.replaceAll(TABLE, (...match) => {
    const { begin = '', name = '', end = '' }: Record<string, string> = match.at(-1);
    const section = known[name];
    if (section === undefined) throw new Error(`docs/capacity.md has a table "${name}" that nobody makes`);
    tables.push(name);
    return `${begin}\n${markdown(section)}\n${end}`;
  });
  return { now, due, tables };
};

/** Writes the page's tables anew. */
export const writePage = (figures: Figures): void => writeFileSync(PAGE, pageFor(figures).due);

import { printLine } from '@teaching/local/console-output.ts';
import { readFigures } from './capacity/figures.ts';
import { readOptions } from './capacity/options.ts';
import { sections, writePage } from './capacity/report.ts';
import { planFor } from './capacity/sizes.ts';
import { table } from '../operators/cli/table.ts';

const { orgs, profile, json, page } = readOptions(process.argv.slice(2));
const figures = readFigures();
if (page) writePage(figures);
if (json)
  printLine(
    JSON.stringify({ profile, figures, plans: orgs.map((count) => planFor(count, figures, profile)) }, null, 2),
  );
else {
  const tables = Object.values(sections(orgs, figures, profile)).map(
    ({ name, head, rows }) => `${name}\n${table(head, rows)}`,
  );
  printLine([...tables, 'Sizes, steps and limits are computed from measured figures; they were not run.'].join('\n\n'));
}

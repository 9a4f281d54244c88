import { writeFileSync } from 'node:fs';
import { note, say } from '@teaching/local/progress.ts';
import { runStoppable, undo } from './bench/stoppable.ts';
import { FIGURES_FILE, type Figures, readFigures } from './capacity/figures.ts';
import { readOptions } from './capacity/options.ts';
import { writePage } from './capacity/page.ts';
import { planFor } from './capacity/plan.ts';
import { sections } from './capacity/report.ts';
import { table } from '../operators/cli/table.ts';

/** What measures starts a whole system: loaded only when it is asked for. */
const measure = async (): Promise<Figures> => {
  const { measureFigures } = await import('./capacity/measure/measure.ts');
  const figures = await measureFigures(note, undo.add);
  writeFileSync(FIGURES_FILE, `${JSON.stringify(figures, null, 2)}\n`);
  return figures;
};

const options = readOptions(process.argv.slice(2));

await runStoppable(async () => {
  const { orgs, profile, json, page } = options;
  const figures = options.measure ? await measure() : readFigures();
  if (page) writePage(figures);
  if (json)
    return say(
      JSON.stringify({ profile, figures, plans: orgs.map((count) => planFor(count, figures, profile)) }, null, 2),
    );
  const tables = Object.values(sections(orgs, figures, profile)).map(
    ({ name, head, rows }) => `${name}\n${table(head, rows)}`,
  );
  say([...tables, 'Sizes, steps and limits are computed from what was measured; nobody has run them.'].join('\n\n'));
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printLine } from '@teaching/local/console-output.ts';
import { runStoppable, undo } from './bench/run-stoppable.ts';
import { launchBrowser } from './browser/launch.ts';
import { startProgress } from '../operators/cli/progress.ts';
import { type Options, optionsOf, USAGE } from './shots/options.ts';
import { pageOf } from './shots/page.ts';
import { ownSystem, runningSystem } from './shots/system.ts';
import { type Shot, takeAll } from './shots/take.ts';
import { nameOf, VIEWS } from './shots/views.ts';
import { viewersOf } from './shots/viewers.ts';

/** Persons at once. */
const AT_ONCE = 2;

/** Stopping is ours: Playwright would end the process as soon as the browser is closed. */
const SIGNALS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

const shoot = async ({ folder, url, screens, words }: Options): Promise<Shot[]> => {
  const { address, keys } = url === undefined ? await ownSystem(undo.add) : runningSystem(url);
  const browser = await launchBrowser(SIGNALS);
  undo.add(() => browser.close());
  const viewers = await viewersOf(address, keys);
  const wanted = viewers
    .flatMap((viewer) => VIEWS.map((view) => ({ viewer, view })))
    .filter(({ viewer, view }) => words.every((word) => `${viewer.name} ${nameOf(view)}`.includes(word)));
  mkdirSync(folder, { recursive: true });
  const isWanted = (screen: string): boolean => screens.length === 0 || screens.includes(screen);
  const progress = startProgress('Pictures', 'views');
  undo.add(progress.end);
  const shots: Shot[] = [];
  const queue = wanted.values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const { viewer, view } of queue) {
      shots.push(...(await takeAll(browser, viewer, view, { address, folder, isWanted })));
      progress.show(++done, wanted.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  progress.end();
  return shots;
};

await runStoppable(async () => {
  const options = optionsOf(process.argv.slice(2));
  if (options === undefined) return printLine(USAGE);
  const shots = await shoot(options);
  const index = join(options.folder, 'index.html');
  writeFileSync(index, pageOf(shots));
  const wrong = shots.filter(({ troubles }) => troubles.length > 0);
  for (const { file, troubles } of wrong) console.error([file, ...troubles.map((line) => `  ${line}`)].join('\n'));
  printLine(`${shots.length} pictures: ${index}`);
  if (wrong.length > 0) throw new Error(`Something went wrong on ${wrong.length} of them.`);
});

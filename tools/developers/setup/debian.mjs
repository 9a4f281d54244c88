import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWN_FOLDER } from './setup-paths.mjs';
import { run } from './run.mjs';
import { suiteOptions } from './suites.mjs';
import { takeTurn } from './setup-lock.mjs';

/** Folders of apt, separate from the system's, so that no permissions are needed. */
export const aptOptions = (folder) => {
  for (const part of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  return [
    `-oDir::State=${folder}/state`,
    `-oDir::Cache=${folder}/cache`,
    '-oDir::State::status=/var/lib/dpkg/status',
    '-oDebug::NoLocking=1',
    '-oAPT::Sandbox::User=',
    '-oAcquire::Languages=none',
    '-oAcquire::Retries=3',
  ];
};

/** For another suite none of the system's files fit: the package's dependencies are included, down to the C library. */
const optionsIn = (folder, suite) => {
  if (suite === undefined) return aptOptions(folder);
  const nothing = join(folder, 'nothing');
  writeFileSync(nothing, '');
  return [...aptOptions(folder), `-oDir::State::status=${nothing}`, ...suiteOptions(suite, join(folder, 'suite'))];
};

/** The folder of a package's files; it exists only when complete. */
export const placeOf = (name, suite) => join(OWN_FOLDER, 'debian', suite ?? '', name);

/** Downloads packages into the folder `archives` of apt. `alone`: without dependencies. */
const download = async (folder, options, names, alone) => {
  const archives = join(folder, 'cache/archives');
  if (alone) return run('apt-get', [...options, 'download', ...names], { cwd: archives });
  const install = ['--yes', '--no-install-recommends', '--download-only', 'install'];
  return run('apt-get', [...options, ...install, ...names], { cwd: folder });
};

/** Unpacks packages of the distribution, with dependencies that the system lacks unless `alone`. The caller must hold the lock. */
export const unpackInto = async (target, names, { suite, alone = false } = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-apt-'));
  try {
    const options = optionsIn(folder, suite);
    await run('apt-get', [...options, 'update'], { cwd: folder });
    await download(folder, options, names, alone);
    const half = `${target}.half`;
    rmSync(half, { recursive: true, force: true });
    mkdirSync(half, { recursive: true });
    const archives = join(folder, 'cache/archives');
    for (const archive of readdirSync(archives).filter((file) => file.endsWith('.deb')))
      await run('dpkg-deb', ['-x', join(archives, archive), half]);
    renameSync(half, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * A folder with the files of one of the distribution's packages and of its missing dependencies. It is stored in the checkout, and nothing
 * is installed. For another suite (`forky`) the folder has all dependencies. Throws an error with the reason if there are no
 * such packages.
 */
export const unpackedFromDebian = async (name, suite) => {
  const target = placeOf(name, suite);
  if (existsSync(target)) return target;
  if (!existsSync('/usr/bin/apt-get')) throw new Error(`only a Debian system has the package ${name}`);
  const endTurn = await takeTurn();
  try {
    if (!existsSync(target)) await unpackInto(target, [name], { suite });
  } finally {
    endTurn();
  }
  return target;
};

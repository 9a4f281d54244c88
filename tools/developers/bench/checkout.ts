import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findNatsServer } from '../setup/find-nats-server.mjs';

const run = promisify(execFile);

/** The checkout that this file is in. */
const HERE = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of checkouts, which git ignores. */
const KEPT = join(HERE, '.local/bench');

/** The project's own Node in a checkout. */
export const nodeOf = (checkout: string): string => join(checkout, 'node_modules/.bin/node');

/** The options with which `npm start` of a checkout runs Node: another release has others. */
export const optionsOf = (checkout: string): string[] => {
  const [, options] =
    / node((?: --\S+)*) tools\/start\.ts/.exec(readFileSync(join(checkout, 'package.json'), 'utf8')) ?? [];
  if (options === undefined) throw new Error(`${checkout} is not started as we know it`);
  return options.split(' ').filter(Boolean);
};

/** All systems use the nats-server that this checkout uses. */
export const pathWithNats = (): string =>
  [dirname(findNatsServer() ?? ''), process.env['PATH'] ?? ''].filter(Boolean).join(delimiter);

/** A release's heading: `## 0.1.0 (2026-11-20, commit bb718a2)`. One that is not released yet names no commit. */
const HEADING = /^## (?<name>\d+\.\d+\.\d+\S*) .*\bcommit (?<commit>[0-9a-f]{7,40})\b/gm;
const COMMIT = /^[0-9a-f]{7,40}$/;

/** The releases of the changelog with their commits, newest first. */
export const releasesIn = (changelog: string): Map<string, string> =>
  new Map(
    Array.from(changelog.matchAll(HEADING), ({ groups }): [string, string] => [
      groups?.['name'] ?? '',
      groups?.['commit'] ?? '',
    ]),
  );

/** The commit of a release (with or without `v`) or of a commit's name. */
export const commitOf = (name: string, changelog: string): string => {
  const releases = releasesIn(changelog);
  const found = releases.get(name.replace(/^v/, '')) ?? (COMMIT.test(name) ? name : undefined);
  if (found !== undefined) return found;
  const known = [...releases.keys()].join(', ') || 'none';
  throw new Error(`"${name}" is neither a commit nor a release in CHANGELOG.md (${known})`);
};

const fullCommit = async (commit: string): Promise<string> => {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: HERE });
  return stdout.trim();
};

/** Unpacked beside its place and moved there whole, so that an interrupted run leaves no half of it. */
const unpack = async (commit: string, folder: string): Promise<void> => {
  const half = `${folder}.${process.pid}`;
  mkdirSync(half, { recursive: true });
  try {
    await run('git', ['archive', '--format=tar', '--output', join(half, '.tar'), commit], { cwd: HERE });
    await run('tar', ['-xf', '.tar'], { cwd: half });
    rmSync(join(half, '.tar'));
    renameSync(half, folder);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
};

/**
 * The files of a commit or release, set up by themselves. A commit never changes, so they stay in `.local/bench`
 * for the next run: setting them up takes longer than a short measurement.
 */
const checkOut = async (name: string): Promise<string> => {
  const commit = await fullCommit(commitOf(name, readFileSync(join(HERE, 'CHANGELOG.md'), 'utf8')));
  const folder = join(KEPT, commit.slice(0, 12));
  mkdirSync(KEPT, { recursive: true });
  if (!existsSync(folder)) await unpack(commit, folder);
  const env = { ...process.env, PATH: pathWithNats() };
  await run(process.execPath, ['tools/setup.mjs'], { cwd: folder, env });
  return folder;
};

/** This checkout and the one to compare with, by name. */
export const checkoutsOf = async (against: string | undefined): Promise<[name: string, folder: string][]> => {
  const present: [string, string] = ['present', HERE];
  return against === undefined ? [present] : [present, [against, await checkOut(against)]];
};

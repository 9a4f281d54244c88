import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { behindOthers, isBehindOthers } from '@teaching/local/behind-others.ts';
import { exitedWithin, hasExited, stopChild } from '@teaching/local/child.ts';
import { leash } from '@teaching/local/leash.ts';
import type { Undo } from '@teaching/local/runner.ts';
import { currentTree } from '../measure/cpu.ts';
import { commandOf } from './command.ts';
import type { Started } from './runner.ts';

/** A Postgres server as it was started, found among the processes of a system. */
export interface Postmaster {
  pid: number;
  command: string[];
  uid: number;
  gid: number;
  /** See `behindOthers`. */
  isBehind: boolean;
}

const isPostmaster = ([program = '', ...args]: string[]): boolean =>
  /[/\\]postgres(\.exe)?$/.test(program) && args.includes('-D');

export const findPostmaster = (root: number): Postmaster => {
  const found = currentTree([root])
    .map(({ pid }) => ({ pid, command: commandOf(pid) }))
    .find(({ command }) => isPostmaster(command));
  if (found === undefined) throw new Error('The system runs no Postgres of its own');
  const { uid, gid } = statSync(`/proc/${found.pid}`);
  return { ...found, uid, gid, isBehind: isBehindOthers(found.pid) };
};

/** Superuser's URL of the project's database: the server notes port and socket in its folder. */
export const adminUrlOf = ({ command }: Postmaster, dataDir: string): string => {
  const cluster = command[command.indexOf('-D') + 1] ?? '';
  const [, , , port = '', socketDir = ''] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
  return `postgresql://postgres:${password}@${encodeURIComponent(socketDir.trim())}:${port.trim()}/teaching`;
};

const answers = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
};

/** Starts the same server once more, on the same files, with further settings: of two, the later one holds. */
export const startAgain = async (
  before: Postmaster,
  { adminUrl, settings, undo }: { adminUrl: string; settings: readonly string[]; undo: Undo },
): Promise<Started> => {
  const [program = '', ...args] = before.command;
  const { uid, gid, isBehind } = before;
  const more = settings.flatMap((setting) => ['-c', setting]);
  const all = [...args, ...more];
  const run = isBehind ? behindOthers(program, all) : { command: program, args: all };
  const server = spawn(run.command, run.args, { uid, gid, cwd: '/', detached: true, stdio: 'ignore' });
  leash(server, 'INT');
  const stop = () =>
    stopChild(server, [
      ['SIGINT', 20_000],
      ['SIGKILL', 1_000],
    ]);
  undo(stop);
  for (let tries = 0; !(await answers(adminUrl)); tries += 1) {
    if (hasExited(server) || tries > 300) {
      await stop();
      throw new Error('Postgres did not start again');
    }
    await Promise.race([sleep(100), exitedWithin(server, 100)]);
  }
  return { pid: server.pid ?? 0, stop };
};

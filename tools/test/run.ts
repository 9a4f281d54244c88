import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { note } from '@teaching/local/progress.ts';
import { TRY_AGAIN } from './second-try.ts';

const inCheckout = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const vitest = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const child = spawn(process.execPath, [inCheckout('node_modules/vitest/vitest.mjs'), 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const stop = (signal: NodeJS.Signals): boolean => child.kill(signal);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const [code] = await once(child, 'exit');
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return typeof code === 'number' ? code : 1;
};

/**
 * Runs Vitest with the arguments given. A few files that failed beside others are run once more, alone: what is wrong fails
 * again, and what a machine did that stood still for seconds does not. Which they were is said last, also where all is well then.
 */
const main = async (args: readonly string[]): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-tests-'));
  const list = join(folder, 'again');
  writeFileSync(list, '');
  const reporters = ['--reporter=default', `--reporter=${inCheckout('tools/test/second-try.ts')}`];
  try {
    const code = await vitest([...args, ...reporters], { [TRY_AGAIN]: list });
    const again = readFileSync(list, 'utf8').split('\n').filter(Boolean);
    if (code !== 1 || again.length === 0) return code;
    const names = again.map((path) => relative(process.cwd(), path)).join(', ');
    note(`Failed beside others, and run again alone: ${names}`);
    const second = await vitest([...args, '--no-file-parallelism', ...again], {});
    note(`${second === 0 ? 'Well at the second try only' : 'Failed twice'}: ${names}`);
    return second;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

process.exitCode = await main(process.argv.slice(2));

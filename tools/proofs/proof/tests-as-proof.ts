import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Proof } from './proof.ts';

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
const TEST_MS = 3 * 3_600_000;

type Env = Readonly<Record<string, string>>;

const runVitest = async (files: readonly string[], env: Env, signal: AbortSignal): Promise<boolean> => {
  const args = [VITEST, 'run', `--testTimeout=${TEST_MS}`, ...files];
  const child = spawn(process.execPath, args, { cwd: CHECKOUT, stdio: 'inherit', env: { ...process.env, ...env } });
  const end = (): boolean => child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const [code] = await once(child, 'exit');
  signal.removeEventListener('abort', end);
  return code === 0;
};

interface TestsAsProof extends Pick<Proof, 'name' | 'about' | 'minutes'> {
  files: readonly string[];
  /** Environment variables that make the tests larger; default `PROOF=yes`. */
  env?: Env;
}

/** A proof that runs test files at proof size, once per repetition. */
export const testsAsProof = ({ files, env = { PROOF: 'yes' }, ...about }: TestsAsProof): Proof => ({
  ...about,
  count: 1,
  run: async ({ count, signal }) => {
    let [tried, succeeded] = [0, 0];
    while (tried < count && !signal.aborted) {
      tried += 1;
      if (await runVitest(files, env, signal)) succeeded += 1;
    }
    return { succeeded, tried };
  },
});

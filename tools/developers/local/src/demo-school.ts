import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { stopChild } from './child.ts';
import { stopWithParent } from './stop-with-parent.ts';
import { printNote, printLine } from './console-output.ts';
import type { Env } from './service-env.ts';

const PROGRAM = fileURLToPath(new URL('../../school.ts', import.meta.url));

/**
 * Makes the demo school, or what it lacks, beside the system that runs: in a process of its own, which tells when it is done.
 * Answers how to stop it; each of its steps looks at what is there, so it may be stopped anywhere.
 */
export const makeSchool = (env: Env): (() => Promise<void>) => {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  stopWithParent(child, 'TERM');
  let stopping = false;
  void Promise.all([text(child.stdout), text(child.stderr)]).then(([out, trouble]) => {
    if (stopping) return;
    if (out.trim() !== '') printLine(out.trim());
    if (trouble.trim() !== '') printNote(trouble.trim());
  });
  return async () => {
    stopping = true;
    await stopChild(child, [
      ['SIGTERM', 1_000],
      ['SIGKILL', 1_000],
    ]);
  };
};

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { stopChild } from './child.ts';
import { stopWithParent } from './stop-with-parent.ts';
import { printNote, printLine } from './console-output.ts';
import type { Env } from './service-env.ts';

const PROGRAM = fileURLToPath(new URL('../../school.ts', import.meta.url));

/**
 * Creates the demo school, or its missing parts, beside the running system: in its own process, which reports when it is done.
 * Returns how to stop it. Each step reads the present state first, so it may be stopped anywhere.
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

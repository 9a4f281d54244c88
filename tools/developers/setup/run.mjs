import { spawn } from 'node:child_process';
import { turnLastsFor } from './setup-lock.mjs';

/** Runs a program; shows its output only when it fails, unless `visible`. */
export const run = (program, args, { visible = false, ...options } = {}) =>
  new Promise((resolve, reject) => {
    const stdio = visible ? ['ignore', process.stderr, process.stderr] : ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { stdio, ...options });
    if (child.pid) turnLastsFor(child.pid);
    // Ctrl-C reaches the child through the terminal; SIGTERM is sent to us alone.
    const passOn = () => child.kill('SIGTERM');
    process.once('SIGTERM', passOn);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => reject(new Error(`${program} could not be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      process.off('SIGTERM', passOn);
      if (code === 0) resolve(output);
      else reject(new Error(`${program} failed (${signal ?? `exit code ${code}`})\n${output}`.trim()));
    });
  });

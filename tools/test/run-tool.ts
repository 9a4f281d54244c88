import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program of `tools` to its end, with this environment and nothing else of ours. */
export const runTool = (tool: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const program = fileURLToPath(new URL(`../${tool}`, import.meta.url));
    const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'], ...env } });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.on('close', (code) => resolve({ code, out, err }));
  });

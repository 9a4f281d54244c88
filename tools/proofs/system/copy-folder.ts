import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Copies a folder with owners and permissions, which Postgres checks. Replaces `to`. */
export const copyFolder = async (from: string, to: string): Promise<void> => {
  rmSync(to, { recursive: true, force: true });
  await run('cp', ['-Rp', from, to]);
};

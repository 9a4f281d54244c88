import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeOf } from './checkout.ts';

export interface Person {
  org: string;
  sub: string;
  role: 'SUPERVISOR' | 'TEACHER' | 'STUDENT';
}

/** Tokens by the checkout's own tool, which alone knows where its key is; each is asked for once. */
export const tokenDesk = (checkout: string, dataDir: string): ((person: Person) => Promise<string>) => {
  const known = new Map<string, Promise<string>>();
  const issue = async ({ org, sub, role }: Person): Promise<string> => {
    // Before there was a command line, it was a tool of its own.
    const tool = existsSync(join(checkout, 'tools/cli.ts')) ? ['tools/cli.ts', 'token'] : ['tools/token.ts'];
    const args = [...tool, '--org', org, '--sub', sub, '--role', role, '--ttl', '7d'];
    const env = { ...process.env, DATA_DIR: dataDir };
    const { stdout } = await promisify(execFile)(nodeOf(checkout), args, { cwd: checkout, env });
    return stdout.trim();
  };
  return (person) => {
    const key = JSON.stringify(person);
    const token = known.get(key) ?? issue(person);
    known.set(key, token);
    return token;
  };
};

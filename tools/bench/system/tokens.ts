import { execFile } from 'node:child_process';
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
    const args = ['tools/token.ts', '--org', org, '--sub', sub, '--role', role, '--ttl', '7d'];
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

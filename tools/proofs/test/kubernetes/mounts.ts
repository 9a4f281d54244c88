import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Authority, createAuthority } from '../../system/certificates.ts';
import type { Workload } from './workloads.ts';

const TOOL = fileURLToPath(new URL('../../../secret-files.ts', import.meta.url));

/** Secrets that others make: CloudNativePG for the cluster `teaching-db`, cert-manager for the broker. */
export const MADE_BY_OTHERS = ['teaching-db-superuser password', 'teaching-db-ca ca.crt', 'nats-tls ca.crt'];

/** The password that CloudNativePG would have made up for `postgres`. */
export const ADMIN_PASSWORD = 'a-password-of-others';

/** The Secrets of an installation, as files of containers. */
export interface Mounts {
  /** Each that the operator makes, as `<Secret> <key>`. */
  made: string[];
  /** Of everything that others make. */
  authority: Authority;
  /** What stands under a key of the Secret `teaching`. */
  secret(key: string): string;
  /** The variables of a process, its files under a folder of this machine. */
  env(one: Workload): Record<string, string>;
  remove(): void;
}

export const makeMounts = async (): Promise<Mounts> => {
  const folder = mkdtempSync(join(tmpdir(), 'teaching-kubernetes-'));
  const secrets = join(folder, 'secrets');
  execFileSync(process.execPath, [TOOL, secrets]);
  const authority = await createAuthority('tests');
  const secretOf = (key: string): string => readFileSync(join(secrets, key), 'utf8');
  const contentOf = ({ secret, key }: { secret: string; key: string }): string => {
    if (secret === 'teaching') return secretOf(key);
    return key === 'ca.crt' ? authority.cert : ADMIN_PASSWORD;
  };
  return {
    made: readdirSync(secrets).map((file) => `teaching ${file}`),
    authority,
    secret: secretOf,
    env: ({ name, env, files }) => {
      const root = join(folder, name);
      for (const [path, from] of files) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), contentOf(from));
      }
      const here = (value: string): string => value.replace(/(^|=)(?=\/run\/)/, `$1${root}`);
      return Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, here(value)]));
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
};

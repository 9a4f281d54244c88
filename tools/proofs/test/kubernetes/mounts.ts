import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Authority, createAuthority } from '../../system/certificates.ts';
import type { Workload } from './workloads.ts';

const TOOL = fileURLToPath(new URL('../../../secret-files.ts', import.meta.url));

/** Secrets of other operators: CloudNativePG creates those of `teaching-db`, cert-manager those of the broker. */
export const MADE_BY_OTHERS = ['teaching-db-superuser password', 'teaching-db-ca ca.crt', 'nats-tls ca.crt'];

/** The password that CloudNativePG would generate for `postgres`. */
export const ADMIN_PASSWORD = 'generated-password';

/** The Secrets of an installation, as files of containers. */
export interface Mounts {
  /** Secrets that our operator creates, as `<Secret> <key>`. */
  made: string[];
  /** The authority of all certificates of other operators. */
  authority: Authority;
  /** The content of a key of the Secret `teaching`. */
  secret(key: string): string;
  /** The environment of a process, with its secret files in a local folder. */
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
      const toLocal = (value: string): string => value.replace(/(^|=)(?=\/run\/)/, `$1${root}`);
      return Object.fromEntries(Object.entries(env).map(([variable, value]) => [variable, toLocal(value)]));
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
};

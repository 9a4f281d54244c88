import { execFileSync } from 'node:child_process';
import type { Owner } from './recover.ts';

const number = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** Postgres refuses to run as root. As root, it runs as the system user `postgres`, who owns the restored files. */
export const systemOwner = (): Owner | undefined =>
  process.getuid?.() === 0 ? { uid: number('-u'), gid: number('-g') } : undefined;

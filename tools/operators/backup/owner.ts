import { execFileSync } from 'node:child_process';
import type { Owner } from './recover.ts';

const number = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** Postgres refuses to run as root: then it runs as the system's user `postgres`, and the restored files are that one's. */
export const systemOwner = (): Owner | undefined =>
  process.getuid?.() === 0 ? { uid: number('-u'), gid: number('-g') } : undefined;

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './service-env.ts';

/** For processes that are started again and again: later starts skip stripping types and compiling, half of what they cost. */
export const COMPILE_CACHE: Env = { NODE_COMPILE_CACHE: join(tmpdir(), 'teaching-compile-cache') };

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './service-env.ts';

/** For processes that start repeatedly: later starts skip type stripping and compilation, half of their cost. */
export const COMPILE_CACHE: Env = { NODE_COMPILE_CACHE: join(tmpdir(), 'teaching-compile-cache') };

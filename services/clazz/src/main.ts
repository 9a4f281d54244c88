import { type Env, type Overrides, runAsProgram, startService } from '@teaching/kit';
import { app } from './app.ts';

export const start = (env: Env, overrides?: Overrides) => startService(app, env, overrides);

await runAsProgram(import.meta.url, start);

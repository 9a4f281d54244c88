import type { Env, Overrides } from '@teaching/kit';
import { runAsProgram } from '@teaching/kit/program';

/** Imports the service when it starts. Importing takes a while, and signals are already handled meanwhile. */
export const start = async (env: Env, overrides?: Overrides) => {
  const [{ startService }, { app }] = await Promise.all([import('@teaching/kit'), import('./app.ts')]);
  return startService(app, env, overrides);
};

await runAsProgram(import.meta.url, (env, stop) => start(env, { stop }));

import type { Env, Overrides } from '@teaching/kit';
import { runAsProgram } from '@teaching/kit/program';

/** Loads the service here, after the signal handlers are set: loading takes a while, and the process can be stopped. */
export const start = async (env: Env, overrides?: Overrides) => {
  const [{ startService }, { app }] = await Promise.all([import('@teaching/kit'), import('./app.ts')]);
  return startService(app, env, overrides);
};

await runAsProgram(import.meta.url, (env, stop) => start(env, { stop }));

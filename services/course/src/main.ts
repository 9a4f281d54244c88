import type { Env, Overrides } from '@teaching/kit';
import { runAsProgram } from '@teaching/kit/program';

/** Loads the service here, since loading takes a while and signals are handled before it ends. */
export const start = async (env: Env, overrides?: Overrides) => {
  const [{ startService }, { app }] = await Promise.all([import('@teaching/kit'), import('./app.ts')]);
  return startService(app, env, overrides);
};

await runAsProgram(import.meta.url, (env, stop) => start(env, { stop }));

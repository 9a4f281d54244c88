import type { Env, Overrides } from '@teaching/kit';
import { runAsProgram } from '@teaching/kit/program';

/** The service itself is loaded here: that takes a while, in which signals are heard already. */
export const start = async (env: Env, overrides?: Overrides) => {
  const [{ startService }, { app }] = await Promise.all([import('@teaching/kit'), import('./app.ts')]);
  return startService(app, env, overrides);
};

await runAsProgram(import.meta.url, (env, stop) => start(env, { stop }));

import type { Env } from '@teaching/kit';
import { runAsProgram } from '@teaching/kit/program';
import type { StartOptions } from './start.ts';

export type { RunningGateway } from './start.ts';

/** Loads the gateway here, because loading takes a while and signals must be handled meanwhile. */
export const start = async (env: Env, options?: StartOptions) => {
  const gateway = await import('./start.ts');
  return gateway.start(env, options);
};

await runAsProgram(import.meta.url, (env, stop) => start(env, { stop }));

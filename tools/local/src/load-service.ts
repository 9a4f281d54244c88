import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Env } from './service-env.ts';

export type RunningService = { stop: () => Promise<void> };
type Start = (env: Env) => Promise<RunningService>;

const Main = z.object({ start: z.custom<Start>((value) => typeof value === 'function') });

/** The `start` of a service's main.ts. */
export const loadService = async (mainFile: string): Promise<Start> => {
  const module: unknown = await import(pathToFileURL(mainFile).href);
  return Main.parse(module).start;
};

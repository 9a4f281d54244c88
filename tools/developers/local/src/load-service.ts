import { pathToFileURL } from 'node:url';
import type { Env, Running } from '@teaching/kit';
import { z } from 'zod';

type Start = (env: Env, options?: { stop?: AbortSignal }) => Promise<Running>;

const Main = z.object({ start: z.custom<Start>((value) => typeof value === 'function') });

/** The `start` of a service's main.ts. */
export const loadService = async (mainFile: string): Promise<Start> => {
  const module: unknown = await import(pathToFileURL(mainFile).href);
  return Main.parse(module).start;
};

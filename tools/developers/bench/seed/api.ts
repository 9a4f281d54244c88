import { z } from 'zod';
import { inParallel } from '../../../operators/cli/in-parallel.ts';
import { Connection, type Request } from '../load/connection.ts';

/** How many requests of the preparation are under way at once. */
const PARALLEL = 24;

const WithId = z.object({ id: z.string() });

/** Prepares data through the API, over a few connections. */
export interface Preparing {
  /** Answers the id of what was made. */
  make: (request: Request) => Promise<string>;
  /** Does the work for each, many at once. */
  each: <T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>) => Promise<R[]>;
  ask: (request: Request) => Promise<unknown>;
  send: (request: Request) => Promise<void>;
}

export const preparing = async <R>(address: string, work: (api: Preparing) => Promise<R>): Promise<R> => {
  const connections = Array.from({ length: PARALLEL }, () => new Connection(address));
  let turn = 0;
  const next = (): Connection => connections[(turn = (turn + 1) % PARALLEL)] ?? new Connection(address);
  try {
    return await work({
      make: async (request) => WithId.parse(await next().json(request)).id,
      each: (items, work) => inParallel(items, PARALLEL, work),
      ask: (request) => next().json(request),
      send: async (request) => void (await next().send(request)),
    });
  } finally {
    await Promise.all(connections.map((connection) => connection.close()));
  }
};

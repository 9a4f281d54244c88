import type { Site } from '../../bench/site/site.ts';
import { KINDS, type KindName } from '../kinds.ts';
import { type ByPart, forEach, used } from './parts.ts';

const SECONDS = 10;
const CONNECTIONS = 32;

/** CPU of one request by part, at a moderate rate. */
export const cpuOf = async ({ system, prepare, run }: Site, kind: KindName, idle: ByPart): Promise<ByPart> => {
  const { load, rate } = KINDS[kind];
  const count = rate * SECONDS;
  // Code that is not compiled yet, statements that are not planned yet.
  const warm = { connections: CONNECTIONS, count: count / 2 };
  await prepare(load, warm);
  await run(load, warm);
  await system.sql('vacuum (analyze)');
  await prepare(load, { connections: CONNECTIONS, count });
  let requests = 0;
  const sums = await used(system.roots(), idle, async () => {
    requests = (await run(load, { connections: CONNECTIONS, rate, seconds: SECONDS })).latencies.length;
  });
  return forEach(sums, requests);
};

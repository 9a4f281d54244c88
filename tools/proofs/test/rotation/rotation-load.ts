import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { waitFor, poll } from '../../system/poll.ts';
import type { Instance } from '../../system/instance.ts';

const PROBE_MS = 50;
const CALLERS = 4;
/** Pause of a caller between two requests, because other tests run beside it. */
const REST_MS = 20;
/** How long callers wait for a ready gateway: one stops as soon as the other is ready, and may not be known yet. */
const NO_GATEWAY_MS = 60_000;
const Created = z.object({ id: z.string() });
const Listed = z.object({ next_cursor: z.string().nullable() });

/** Callers that write, read and page through lists without end, through any ready gateway. */
export interface Load {
  /** Number of requests so far. */
  count: () => number;
  /** Descriptions of the failed requests. */
  failed: readonly string[];
  /** Resolves after `count` more requests. */
  more: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}

export const startLoad = (gateways: readonly Instance[], token: () => string): Load => {
  const stopping = new AbortController();
  const ready = new Set<Instance>();
  const failed: string[] = [];
  let count = 0;

  const probe = async (one: Instance): Promise<void> => {
    const isReady = await fetch(`${one.address}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(one);
    else ready.delete(one);
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await Promise.all(gateways.map(probe));
      await pause(PROBE_MS);
    }
  };
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const gateway = await poll(() => [...ready][count % ready.size], NO_GATEWAY_MS);
    if (gateway === undefined) throw new Error('no gateway is ready');
    count += 1;
    const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' };
    const url = `${gateway.address}/api/v1/clazz/course-package${path}`;
    const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(url, sent);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path.slice(0, 20)}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const round = async (): Promise<void> => {
    const { id } = Created.parse(await ask('', { title: 'Algebra' }));
    await ask(`/${id}`);
    const { next_cursor } = Listed.parse(await ask('/list/my?limit=1'));
    await pause(REST_MS);
    if (next_cursor !== null) await ask(`/list/my?limit=1&cursor=${encodeURIComponent(next_cursor)}`);
  };
  const caller = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await round().catch((error: unknown) => failed.push(`${new Date().toISOString()} ${String(error)}`));
      await pause(REST_MS);
    }
  };
  const all = [watch(), ...Array.from({ length: CALLERS }, caller)];
  return {
    count: () => count,
    failed,
    more: (wanted) => {
      const goal = count + wanted;
      return waitFor(`${wanted} more requests`, () => count >= goal, 60_000);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(all);
    },
  };
};

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Undo } from '@teaching/local/runner.ts';
import type { Flood } from './floods.ts';

/** What the thread that floods is given. */
export interface Flooding {
  address: string;
  flood: Flood;
  connections: number;
  /** One that the gateway takes, to make others from. */
  token: string;
}

/** How often each status was answered; `closed`: how often a connection was closed on us. */
export type Answered = Record<string, number>;

/** Begins a flood; answers how to end it. */
export const startFlood = (flooding: Flooding, undo: Undo): (() => Promise<Answered>) => {
  const thread = new Worker(new URL('flood.worker.ts', import.meta.url), { workerData: flooding });
  undo(async () => void (await thread.terminate()));
  return async () => {
    thread.postMessage('stop');
    const [answered] = (await once(thread, 'message')) as [Answered];
    await thread.terminate();
    return answered;
  };
};

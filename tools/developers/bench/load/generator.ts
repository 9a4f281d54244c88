import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Undo } from '@teaching/local/runner.ts';
import { type Job, Outcome } from './work.ts';

const Reply = z.object({ id: z.int(), outcome: Outcome.nullish(), error: z.string().optional() });

type Waiting = { resolve: (outcome: Outcome | null) => void; reject: (error: Error) => void };

/** Asks the process that makes the load. */
export type Generator = (job: Job) => Promise<Outcome | null>;

/** Starts that process, apart from the one that measures, so that neither disturbs the other's times. */
export const startGenerator = (undo: Undo): Generator => {
  const child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), { serialization: 'advanced' });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  child.on('message', (message) => {
    const { id, outcome = null, error } = Reply.parse(message);
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) one?.resolve(outcome);
    else one?.reject(new Error(error));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The process that makes the load ended'));
  });
  undo(() => void child.kill());
  return (job) =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, { resolve, reject });
      child.send({ id, job }, (error) => (error === null ? undefined : reject(error)));
    });
};

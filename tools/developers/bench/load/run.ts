import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import type { Script } from './script.ts';
import type { Outcome, Plan } from './work.ts';

/** Collects what steps take. */
const stopwatch = ({ step, left, answered }: Script) => {
  const latencies: number[] = [];
  const others: Record<string, number[]> = {};
  const note = (name: string, ms: number): void => void (others[name] ??= []).push(ms);
  const began = performance.now();
  return {
    began,
    /** `due`: when the request should have left. Waiting for a free connection is waiting for an answer. */
    time: async (connection: Connection, due = performance.now()): Promise<void> => {
      await step(connection, note);
      latencies.push(performance.now() - due);
    },
    outcome: (): Outcome => ({
      seconds: (performance.now() - began) / 1_000,
      latencies,
      others,
      left: left?.() ?? null,
      answered: answered?.() ?? {},
    }),
  };
};

/** Every connection asks again as soon as it is answered. */
const closed = async (script: Script, connections: readonly Connection[], plan: Plan): Promise<Outcome> => {
  const { began, time, outcome } = stopwatch(script);
  const end = began + (plan.seconds ?? Infinity) * 1_000;
  let toDo = plan.count ?? Infinity;
  const work = async (connection: Connection): Promise<void> => {
    while (toDo > 0 && performance.now() < end) {
      toDo -= 1;
      await time(connection);
    }
  };
  await Promise.all(connections.map(work));
  return outcome();
};

/** Requests leave by the clock, whether or not earlier ones are answered; over when all are. */
const open = async (script: Script, connections: readonly Connection[], rate: number, seconds: number) => {
  const { began, time, outcome } = stopwatch(script);
  const total = Math.round(rate * seconds);
  let sent = 0;
  const work = async (connection: Connection): Promise<void> => {
    for (let n = sent++; n < total; n = sent++) {
      const due = began + (n / rate) * 1_000;
      // Timers are late by up to a millisecond; the rest of the wait is left to the next one.
      while (due > performance.now()) await sleep(Math.max(1, due - performance.now()));
      await time(connection, due);
    }
  };
  await Promise.all(connections.map(work));
  return outcome();
};

export const runScript = (script: Script, connections: readonly Connection[], plan: Plan): Promise<Outcome> =>
  plan.rate === undefined ? closed(script, connections, plan) : open(script, connections, plan.rate, plan.seconds ?? 1);

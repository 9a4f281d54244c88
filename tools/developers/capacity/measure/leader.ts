import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { stopChild } from '@teaching/local/child.ts';
import { freePort } from '@teaching/local/ports.ts';
import { nameOf } from '../../bench/measure/by-process.ts';
import { cpuOf, currentTree } from '../../bench/measure/cpu.ts';
import { quiet } from '../../bench/measure/slices.ts';
import type { Site } from '../../bench/site/site.ts';
import { commandOf } from '../../bench/system/command.ts';
import type { System } from '../../bench/system/system.ts';
import type { Undo } from '@teaching/local/runner.ts';
import { KINDS, type KindName } from '../kinds.ts';

const CONNECTIONS = 16;
const SECONDS = 10;

const environmentOf = (pid: number): NodeJS.ProcessEnv =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter((line) => line.includes('=') && !line.startsWith('NODE_CHANNEL'))
      .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const findClazz = (roots: readonly number[]): number => {
  const pid = currentTree(roots).find((one) => nameOf(commandOf(one.pid)) === 'service clazz')?.pid;
  if (pid === undefined) throw new Error('The system has no process of the service clazz');
  return pid;
};

/** How many requests an instance has answered so far, as it tells Prometheus; what services ask each other is not counted. */
const answeredBy = async (port: number): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = text.matchAll(/^teaching_call_duration_count\{[^}]*call="clazz\.[^}]*\} (?<count>\d+)/gm);
  return [...counts].reduce((sum, { groups }) => sum + Number(groups?.['count']), 0);
};

/** A second instance of `clazz`, which does not lead while the first one is there. */
const startSecond = async ({ roots }: System, undo: Undo) => {
  const leader = findClazz(roots());
  const [, bootstrap = '', mainFile = ''] = commandOf(leader).filter((word) => !word.startsWith('--'));
  const port = await freePort();
  const env = { ...environmentOf(leader), METRICS_PORT: String(port), OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1' };
  const child = fork(bootstrap, [mainFile], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const stop = () => stopChild(child, [['SIGTERM', 10_000]]);
  undo(stop);
  await once(child, 'message');
  return { leader, second: child.pid ?? 0, answered: () => answeredBy(port), stop };
};

/**
 * What leading costs for each request, in microseconds: two instances answer, one of them leads. What the other one uses for a
 * request it answered is what answering costs; what the leader used beyond that is leading.
 */
export const leaderCosts = async (
  { system, prepare, run }: Site,
  kinds: readonly KindName[],
  undo: Undo,
  say: (what: string) => void,
): Promise<Partial<Record<KindName, number>>> => {
  const { leader, second, answered, stop } = await startSecond(system, undo);
  const groups = [[leader], [second]];
  const roots = [...system.roots(), second];
  const costs: Partial<Record<KindName, number>> = {};
  for (const kind of kinds) {
    say(`what leading costs: ${KINDS[kind].about}`);
    const { load, rate } = KINDS[kind];
    const plan = { connections: CONNECTIONS, count: rate * SECONDS };
    await prepare(load, plan);
    await run(load, { ...plan, count: plan.count / 2 });
    await prepare(load, plan);
    await quiet(roots);
    const [before, had] = [cpuOf(groups), await answered()];
    const { latencies } = await run(load, plan);
    await quiet(roots);
    const [after, has] = [cpuOf(groups), await answered()];
    const [ofLeader = 0, ofSecond = 0] = after.map((us, n) => us - (before[n] ?? 0));
    const bySecond = has - had;
    if (bySecond < latencies.length / 10)
      throw new Error(`The second instance answered ${bySecond} of ${latencies.length}`);
    const answering = ofSecond / bySecond;
    const leading = ofLeader - (latencies.length - bySecond) * answering;
    costs[kind] = Math.max(0, Math.round(leading / latencies.length));
  }
  await stop();
  return costs;
};

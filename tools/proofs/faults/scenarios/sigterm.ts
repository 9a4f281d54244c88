import { spawnSync } from 'node:child_process';
import { holdsWithin } from '../../system/poll.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { seconds } from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

/** In this time it logs several times what it waits for. */
const STARTING_MS = 20_000;
const STOP_TIMEOUT_MS = 3_000;
const LINES = 2;

/** A dependency that is missing at the start. */
interface Missing {
  about: string;
  take: (one: ProxiedInstance) => void;
  says: RegExp;
}

const BROKER: Missing = {
  about: 'without a broker',
  take: (one) => one.toNats.set('cut'),
  says: /broker|bus|nats/i,
};
const DATABASE: Missing = {
  about: 'without a database',
  take: (one) => one.toPostgres?.set('cut'),
  says: /database|postgres/i,
};

/** Starts a process as PID 1 of its own namespace, as in a container: signals without a handler are ignored. */
const PID_ONE = ['unshare', '--pid', '--fork', '--kill-child'];
const canBePidOne = (): boolean => spawnSync(PID_ONE[0] ?? '', [...PID_ONE.slice(1), 'true']).status === 0;

const tryStart = async (
  one: ProxiedInstance,
  { about, take, says }: Missing,
  wrapper: readonly string[],
  context: ScenarioOptions,
): Promise<ScenarioResult> => {
  await one.kill();
  one.configure({ LOG_LEVEL: 'info' });
  take(one);
  one.start(wrapper);
  const lines = (): number =>
    one
      .logSinceStart()
      .split('\n')
      .filter((line) => says.test(line)).length;
  await holdsWithin(() => lines() >= LINES || !one.isRunning(), limitFor(context, STARTING_MS));
  const logged = lines();
  const wasRunning = one.isRunning();
  const exit = await one.stop(limitFor(context, STOP_TIMEOUT_MS));
  await one.kill();
  one.toNats.heal();
  one.toPostgres?.heal();
  one.configure({});
  const isGood = exit !== undefined && (exit.code === 0 || exit.code === 143 || exit.signal === 'SIGTERM');
  const end = exit === undefined ? `not ended within ${seconds(STOP_TIMEOUT_MS)}` : `${exit.signal ?? exit.code}`;
  const ended = wasRunning ? `SIGTERM: ${end}` : `ended with ${exit?.code}`;
  const as = wrapper.length > 0 ? ' as PID 1' : '';
  const line = `${one.service} ${about}${as}: ${logged} lines about it, ${ended}`;
  return { ok: wasRunning && isGood && logged >= LINES, line };
};

const runSigterm = async (system: System, context: ScenarioOptions): Promise<ScenarioResult> => {
  const [service, gateway] = [...system.instancesOf('clazz'), ...system.instancesOf('gateway')];
  if (service === undefined || gateway === undefined) throw new Error('the scenario needs a service and a gateway');
  const found: ScenarioResult[] = [];
  const ways = canBePidOne() ? [PID_ONE, ...(context.short ? [] : [[]])] : [[]];
  for (const wrapper of ways) {
    found.push(await tryStart(service, BROKER, wrapper, context));
    found.push(await tryStart(service, DATABASE, wrapper, context));
    found.push(await tryStart(gateway, BROKER, wrapper, context));
  }
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const sigterm: Scenario = {
  name: 'sigterm',
  about: 'a process that waits for its broker or database at start logs it and ends on SIGTERM, also as PID 1',
  run: runSigterm,
};

import { spawnSync } from 'node:child_process';
import { holdsWithin } from '../../system/poll.ts';
import { type Context, limitFor, type Outcome, type Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { seconds } from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

/** It says several times by then what it waits for. */
const STARTING_MS = 20_000;
const ENDS_MS = 3_000;
const LINES = 2;

/** What is missing when it starts. */
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

/** A process without a parent in its world, as in a container: signals it has no handler for do nothing. */
const PID_ONE = ['unshare', '--pid', '--fork', '--kill-child'];
const canBePidOne = (): boolean => spawnSync(PID_ONE[0] ?? '', [...PID_ONE.slice(1), 'true']).status === 0;

const tryStart = async (
  one: ProxiedInstance,
  { about, take, says }: Missing,
  behind: readonly string[],
  context: Context,
): Promise<Outcome> => {
  await one.kill();
  one.configure({ LOG_LEVEL: 'info' });
  take(one);
  one.start(behind);
  const lines = (): number =>
    one
      .said()
      .split('\n')
      .filter((line) => says.test(line)).length;
  await holdsWithin(() => lines() >= LINES || !one.isRunning(), limitFor(context, STARTING_MS));
  const said = lines();
  const isThere = one.isRunning();
  const exit = await one.stop(limitFor(context, ENDS_MS));
  await one.kill();
  one.toNats.heal();
  one.toPostgres?.heal();
  one.configure({});
  const isGood = exit !== undefined && (exit.code === 0 || exit.code === 143 || exit.signal === 'SIGTERM');
  const end = exit === undefined ? `not ended within ${seconds(ENDS_MS)}` : `${exit.signal ?? exit.code}`;
  const ended = isThere ? `SIGTERM: ${end}` : `ended by itself with ${exit?.code}`;
  const as = behind.length > 0 ? ' as PID 1' : '';
  const line = `${one.service} ${about}${as}: ${said} lines about it, ${ended}`;
  return { ok: isThere && isGood && said >= LINES, line };
};

const story = async (system: System, context: Context): Promise<Outcome> => {
  const [service, gateway] = [...system.of('clazz'), ...system.of('gateway')];
  if (service === undefined || gateway === undefined) throw new Error('a service and a gateway are needed');
  const found: Outcome[] = [];
  const ways = canBePidOne() ? [PID_ONE, ...(context.short ? [] : [[]])] : [[]];
  for (const behind of ways) {
    found.push(await tryStart(service, BROKER, behind, context));
    found.push(await tryStart(service, DATABASE, behind, context));
    found.push(await tryStart(gateway, BROKER, behind, context));
  }
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const sigterm: Scenario = {
  name: 'sigterm',
  about: 'a process that waits for its broker or database at start says so, and ends at SIGTERM, as PID 1 too',
  story,
};

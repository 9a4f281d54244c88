import { spawnSync } from 'node:child_process';
import { pause } from '../../system/poll.ts';
import type { Outcome, Scenario } from '../scenario.ts';
import type { System } from '../../system/start-system.ts';
import { seconds } from '../traffic.ts';
import type { Wired } from '../../system/wiring.ts';

/** It has begun by then, and has had time to say several times what it waits for. */
const STARTING_MS = 12_000;
const ENDS_MS = 3_000;
const LINES = 2;

/** What is missing when it starts. */
interface Missing {
  about: string;
  take: (one: Wired) => void;
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

const tryStart = async (one: Wired, { about, take, says }: Missing, behind: readonly string[]): Promise<Outcome> => {
  await one.kill();
  one.configure({ LOG_LEVEL: 'info' });
  take(one);
  one.start(behind);
  await pause(STARTING_MS);
  const lines = one
    .said()
    .split('\n')
    .filter((line) => says.test(line)).length;
  const isThere = one.isRunning();
  const exit = await one.stop(ENDS_MS);
  await one.kill();
  one.toNats.heal();
  one.toPostgres?.heal();
  one.configure({});
  const isGood = exit !== undefined && (exit.code === 0 || exit.code === 143 || exit.signal === 'SIGTERM');
  const end = exit === undefined ? `not ended within ${seconds(ENDS_MS)}` : `${exit.signal ?? exit.code}`;
  const ended = isThere ? `SIGTERM: ${end}` : `ended by itself with ${exit?.code}`;
  const as = behind.length > 0 ? ' as PID 1' : '';
  const line = `${one.service} ${about}${as}: ${lines} lines about it in ${STARTING_MS / 1_000} s, ${ended}`;
  return { ok: isThere && isGood && lines >= LINES, line };
};

const story = async (system: System): Promise<Outcome> => {
  const [service, gateway] = [...system.of('clazz'), ...system.of('gateway')];
  if (service === undefined || gateway === undefined) throw new Error('a service and a gateway are needed');
  const found: Outcome[] = [];
  for (const behind of canBePidOne() ? [[], PID_ONE] : [[]]) {
    found.push(await tryStart(service, BROKER, behind));
    found.push(await tryStart(service, DATABASE, behind));
    found.push(await tryStart(gateway, BROKER, behind));
  }
  return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
};

export const sigterm: Scenario = {
  name: 'sigterm',
  about: 'a process that waits for its broker or database at start says so, and ends at SIGTERM, as PID 1 too',
  story,
};

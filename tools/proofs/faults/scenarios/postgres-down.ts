import { randomUUID } from 'node:crypto';
import { healthStatus } from '../../system/instance-health.ts';
import { waitFor, pause, poll } from '../../system/poll.ts';
import { limitFor, type Scenario } from '../scenario.ts';
import {
  waitForSuccesses,
  isSuccess,
  isWrite,
  createRequestKinds,
  lastFailure,
  seconds,
  type RequestResult,
  startTraffic,
  failureSummary,
} from '../traffic.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';

const RATE = 100;
const SHORT_RATE = 15;
const DOWN_MS = 6_000;
const BACK_MS = 5_000;
const NOTICED_MS = 4_000;

/**
 * Without a database a read or an unsent write is refused with 503 and Retry-After; a write may also be
 * `outcome_unknown`.
 */
const isAllowed = (shot: RequestResult): boolean =>
  isSuccess(shot) ||
  (shot.status === 503 && shot.retryAfter !== undefined) ||
  (isWrite(shot) && shot.status === 504 && shot.code === 'outcome_unknown' && shot.retryAfter === undefined);

/** Milliseconds until its readiness is off; `undefined` when it stays on. */
const msUntilNotReady = async (one: ProxiedInstance, within: number): Promise<number | undefined> => {
  const since = Date.now();
  const isOff = await poll(async () => (await healthStatus(one, 'ready')) === 503 || undefined, within, 100);
  return isOff === undefined ? undefined : Date.now() - since;
};

export const postgresDown: Scenario = {
  name: 'postgres-down',
  about:
    'Postgres is stopped for 6 s under requests: 503 with Retry-After, readiness off, successful within 5 s of its return',
  run: async (system, context) => {
    const { short } = context;
    const noticed = limitFor(context, NOTICED_MS);
    const readiness = (): Promise<number[]> =>
      Promise.all(system.instances.map((one) => healthStatus(one, 'ready', 10_000)));
    const traffic = startTraffic(await createRequestKinds(system.api, randomUUID()), short ? SHORT_RATE : RATE);
    await pause(1_500);
    const since = Date.now();
    const stopped = system.postgres.stop();
    const offs = await Promise.all(
      system.instances.map(async (one) => [one.name, await msUntilNotReady(one, noticed)] as const),
    );
    await stopped;
    await pause(Math.max(0, since + DOWN_MS - Date.now()));
    await system.postgres.start();
    const back = Date.now();
    const isCalm = short ? await waitForSuccesses(traffic, back, limitFor(context, BACK_MS)) : true;
    const from = short ? Date.now() : back + BACK_MS;
    if (!short) await pause(Math.max(0, from + 2_000 - Date.now()));
    if (short)
      await waitFor(
        'all instances are ready',
        async () => (await readiness()).every((status) => status === 200),
        noticed,
      );
    const ready = await readiness();
    const shots = await traffic.stop();
    const wrong = shots.filter((shot) => !isAllowed(shot));
    const late = short ? [] : shots.filter(({ at }) => at >= from);
    const failedLate = late.filter((shot) => !isSuccess(shot));
    const stayed = offs.filter(([, ms]) => ms === undefined).map(([name]) => name);
    const isOff = stayed.length === 0 ? 'all readiness off' : `readiness not off: ${stayed.join(' ')}`;
    const isOn = ready.every((status) => status === 200);
    const line = `${failureSummary(shots)}; of these ${wrong.length} are not 503 with Retry-After (${failureSummary(wrong)}); ${isOff}; successful again after ${seconds(lastFailure(shots, back))}, ${failedLate.length} of ${late.length} failed later than ${seconds(from - back)}; then readiness ${isOn ? 'on' : ready.join(' ')}`;
    return { ok: isCalm && wrong.length === 0 && stayed.length === 0 && failedLate.length === 0 && isOn, line };
  },
};

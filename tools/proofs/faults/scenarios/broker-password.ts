import { randomUUID } from 'node:crypto';
import { natsPasswordName } from '@teaching/local/secrets.ts';
import { holdsWithin, pause } from '../../system/poll.ts';
import type { System } from '../../system/start-system.ts';
import type { ProxiedInstance } from '../../system/proxied-instances.ts';
import { type ScenarioOptions, limitFor, type ScenarioResult, type Scenario } from '../scenario.ts';
import {
  waitForSuccesses,
  isSuccess,
  createRequestKinds,
  lastFailure,
  kindsMatching,
  seconds,
  startTraffic,
  failureSummary,
} from '../traffic.ts';

const WRONG_MS = 12_000;
const BACK_MS = 5_000;
const OBSERVED_MS = 2_000;
const RATE = 20;
/** Expected log lines while the password is wrong: one every few seconds. */
const LINES = 2;
const WAITS = /broker|bus|nats|password|authori[sz]|credential/i;

const renewBroker = async ({ nats }: System, passwords: Record<string, string>): Promise<void> => {
  nats.changePasswords(passwords);
  await nats.restart();
};

/** Gives one instance a wrong password for a while, as after a rotation in the wrong order. */
const useWrongPassword = async (
  system: System,
  one: ProxiedInstance,
  context: ScenarioOptions,
): Promise<ScenarioResult> => {
  const { short } = context;
  const kinds = kindsMatching(await createRequestKinds(system.api, randomUUID()), 'clazz');
  const traffic = startTraffic(kinds, RATE);
  await renewBroker(system, { [natsPasswordName(one.service)]: 'another' });
  const changed = Date.now();
  await pause(1_000);
  const begun = one.log().length;
  const lines = (): number =>
    one
      .log()
      .slice(begun)
      .split('\n')
      .filter((line) => WAITS.test(line)).length;
  if (short) await holdsWithin(() => lines() >= LINES, limitFor(context, WRONG_MS));
  else await pause(changed + WRONG_MS - Date.now());
  const logged = lines();
  await renewBroker(system, {});
  const since = Date.now();
  const isBack = await waitForSuccesses(traffic, since, limitFor(context, BACK_MS * 2));
  const back = short ? Date.now() : since + BACK_MS;
  if (!short) await pause(Math.max(0, back + OBSERVED_MS - Date.now()));
  const shots = await traffic.stop();
  const late = short ? [] : shots.filter(({ at }) => at >= back);
  const failed = late.filter((shot) => !isSuccess(shot));
  const wrong = shots.filter(({ status }) => status === 500);
  const when = isBack ? `successful again after ${seconds(lastFailure(shots, since))}` : 'never successful again';
  const alive = one.isRunning() ? '' : ', its process has ended';
  const line = `${one.name}: ${when}${alive}, ${failed.length} of ${late.length} failed later than ${seconds(back - since)}; ${logged} log lines about it; ${failureSummary(shots)}`;
  return { ok: isBack && failed.length === 0 && wrong.length === 0 && logged >= LINES, line };
};

export const brokerPassword: Scenario = {
  name: 'broker-password',
  about:
    'the broker has a wrong password for a service, then for the gateway, for 12 s: both log it and reconnect afterwards',
  run: async (system, context) => {
    const found: ScenarioResult[] = [];
    for (const one of [...system.instancesOf('clazz'), ...system.instancesOf('gateway')]) {
      found.push(await useWrongPassword(system, one, context));
      // An instance that does not recover must not spoil the next step.
      if (found.at(-1)?.ok === true) continue;
      await one.kill();
      await system.heal();
    }
    return { ok: found.every(({ ok }) => ok), line: found.map(({ line }) => line).join('; ') };
  },
};

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkoutsOf } from '../../developers/bench/checkout.ts';
import { createLoad } from '../faults/load.ts';
import { waitFor } from '../system/poll.ts';
import { checkAtEnd, requireHealthy } from '../faults/scenario.ts';
import { OWN_CHECKOUT, type System } from '../system/start-system.ts';
import { createRequestKinds } from '../faults/traffic.ts';
import { onSystems } from './on-systems.ts';
import type { Proof } from './proof.ts';

const RELEASE = '0.1.0';
const STOP_TIMEOUT_MS = 20_000;
const JOIN_TIMEOUT_MS = 40_000;

const stop = async (instance: System['instances'][number]): Promise<void> => {
  assert.notEqual(await instance.stop(STOP_TIMEOUT_MS), undefined, `${instance.name} ends`);
};

/** Follows the steps of docs/upgrade.md, "From 0.1.0". */
const upgrade = async (system: System, released: string): Promise<string> => {
  const load = await createLoad(system, { seed: 1 });
  await load.writeCount(150);

  const refusal = await system.migrate(OWN_CHECKOUT).catch(String);
  assert.match(refusal, /100_numbered_log cannot run while instances of clazz do/);
  // The refused migration changed nothing, so writes still work.
  await load.writeCount(20);

  await Promise.all(system.instances.map(stop));
  system.configureBrokers(OWN_CHECKOUT);
  await system.nats.restart();
  assert.match(await system.migrate(OWN_CHECKOUT), /streams created: EVENTS_CLAZZ/);
  for (const instance of system.instances) instance.useCheckout(OWN_CHECKOUT);
  await system.heal();
  await requireHealthy(system, load);
  await load.writeCount(150);
  const { ok, line } = await checkAtEnd(system, load);
  assert.ok(ok, line);

  // The broker refuses the subscriptions of a forgotten instance of the old release.
  const [forgotten] = system.instancesOf('clazz');
  assert.ok(forgotten);
  await stop(forgotten);
  forgotten.useCheckout(released);
  forgotten.start();
  await waitFor(
    'the broker refuses the forgotten instance',
    () => forgotten.logSinceStart().includes('Permissions Violation for Subscription'),
    JOIN_TIMEOUT_MS,
  );
  await assert.rejects(createRequestKinds(system.api, randomUUID()), /creating a class failed: 503/);
  return line;
};

/** Needs the commit of the release, so it fails in a shallow clone. */
export const upgradeFrom010: Proof = {
  name: `upgrade-from-${RELEASE}`,
  about: `a system of release ${RELEASE} is upgraded with a single stop and loses nothing`,
  minutes: 1,
  count: 1,
  run: async ({ count, ...options }) => {
    const [, [, released] = ['', '']] = await checkoutsOf(RELEASE);
    const all = Array.from({ length: count }, () => ({ checkout: released }));
    return onSystems(all, options, async (system) => options.log(await upgrade(system, released)));
  },
};

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { checkoutsOf } from '../bench/system/checkout.ts';
import { releasesIn } from '../bench/system/release.ts';
import { startBalancer } from '../faults/balancer.ts';
import { joined } from '../faults/health.ts';
import { createLoad } from '../faults/load.ts';
import { pause } from '../faults/poll.ts';
import { settled, wellBefore } from '../faults/scenario.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../faults/system.ts';
import { isWell, kindsOf, type Shot, startTraffic, troubles } from '../faults/traffic.ts';

const CHANGELOG = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
/** The release before this one, by its name in CHANGELOG.md. */
const [BEFORE = ''] = releasesIn(CHANGELOG).keys();
/** Releases that cannot run beside the next one. */
const ALONE: readonly string[] = ['0.1.0'];
/**
 * While the release before is one of them, what goes on in turn is tried with an earlier commit; then with the release, and
 * this goes.
 */
const EARLIER = '0d9426d';

/** Without the history there is nothing to compare with, and the run says so. */
const isHere = (name: string): boolean => {
  const commit = releasesIn(CHANGELOG).get(name) ?? name;
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: OWN_CHECKOUT, stdio: 'ignore' });
    return true;
  } catch {
    console.warn(`NOT TRIED: commit ${commit} (${name}) is not in this clone: git fetch --unshallow`);
    return false;
  }
};
const checkoutOf = async (name: string): Promise<string> => (await checkoutsOf(name))[1]?.[1] ?? '';

const LONG = { timeout: 300_000 };
const STOPS_MS = 20_000;
const JOINS_MS = 40_000;
const RATE = 30;
/** A gateway that says nothing for so long is gone. Less than it drains, and enough for a busy machine. */
const LOOK_MS = 2_500;

let system: System | undefined;
afterEach(async () => {
  await system?.end();
  system = undefined;
});

const stop = async (one: System['instances'][number]): Promise<void> => {
  expect(await one.stop(STOPS_MS), `${one.name} ends`).toBeDefined();
};

describe.runIf(ALONE.includes(BEFORE) && isHere(BEFORE))(`from ${BEFORE}, which runs alone`, () => {
  it('what was written is there, statistics are as the sources say, and nothing runs beside', LONG, async () => {
    const checkout = await checkoutOf(BEFORE);
    system = await startSystem({ checkout });
    const load = await createLoad(system, { seed: 1 });
    await load.writes(150);

    const refused = await system.migrate(OWN_CHECKOUT).catch(String);
    expect(refused).toContain('100_numbered_log cannot run while instances of clazz do');
    // They go on as before.
    await load.writes(20);

    await Promise.all(system.instances.map(stop));
    const [straggler] = system.of('clazz');
    await system.nats.stop();
    system.useBrokerOf(OWN_CHECKOUT);
    await system.nats.start();
    expect(await system.migrate(OWN_CHECKOUT)).toContain('streams removed: EVENTS');
    for (const one of system.instances) one.use(OWN_CHECKOUT);
    await system.heal();
    await wellBefore(system, load);
    await load.writes(150);
    const { ok, line } = await settled(system, load);
    expect(ok, line).toBe(true);

    // Somebody starts a forgotten one of the old: the broker does not let it answer.
    if (straggler === undefined) throw new Error('There is no instance');
    await stop(straggler);
    straggler.use(checkout);
    straggler.start();
    await expect.poll(straggler.said, { timeout: JOINS_MS }).toMatch(/Permissions Violation for Subscription/);
    const kinds = await kindsOf(system.api, randomUUID()).catch(String);
    expect(kinds).toContain('a class cannot be made: 503');
  });
});

const NEXT = ALONE.includes(BEFORE) ? EARLIER : BEFORE;
/** Services first: gateways ask what only a newer service answers. */
const ORDER = ['clazz', 'course', 'package', 'stats', 'gateway'];
const TWO = { clazz: 2, course: 2, package: 2, stats: 2, gateway: 2 };

describe.runIf(isHere(NEXT))(`from ${NEXT} in turn, under load`, () => {
  it('no request fails, and statistics are as the sources say', LONG, async () => {
    const checkout = await checkoutOf(NEXT);
    const env = { DRAIN_MS: '4000', DATABASE_LANES: '3', CALL_TIMEOUT_MS: '10000' };
    const running = await startSystem({ checkout, instances: TWO, env });
    system = running;
    const balancer = await startBalancer(running, LOOK_MS);
    const load = await createLoad({ ...running, api: balancer.api }, { seed: 2, writers: 1, restMs: 50 });
    const kinds = await kindsOf(balancer.api, randomUUID());
    await load.writes(50);
    const traffic = startTraffic(kinds, RATE);
    load.start();

    const times: { name: string; at: number }[] = [];
    const exchange = async (one: System['instances'][number], to: string): Promise<void> => {
      times.push({ name: one.name, at: Date.now() });
      await stop(one);
      one.use(to);
      one.start();
      expect(await joined(one, JOINS_MS), `${one.name} joins: ${one.said().slice(-500)}`).toBe(true);
      // Both answer.
      await pause(1_500);
    };
    running.useBrokerOf(OWN_CHECKOUT);
    await running.migrate(OWN_CHECKOUT);
    // The old ones on the new schema.
    await pause(3_000);
    // And back again, as somebody does who finds something wrong.
    for (const one of running.of('clazz').slice(0, 1)) {
      await exchange(one, OWN_CHECKOUT);
      await exchange(one, checkout);
    }
    for (const service of ORDER) for (const one of running.of(service)) await exchange(one, OWN_CHECKOUT);
    const shots = await traffic.stop();
    await load.stop();
    await balancer.stop();
    const during = (shot: Shot): string => times.findLast(({ at }) => at <= shot.at + shot.ms)?.name ?? 'the migration';
    const failed = shots.filter((shot) => !isWell(shot)).map((shot) => `${shot.kind} during ${during(shot)}`);
    const left = running.instances
      .filter((one) => one.log().includes('takes no calls'))
      .map(({ name }) => `${name} left`);
    expect(troubles(shots), [...new Set([...failed, ...left])].join(', ')).toBe('none');
    expect(shots.filter(isWell).length).toBeGreaterThan(RATE);
    const { ok, line } = await settled(running, load);
    expect(ok, line).toBe(true);
  });
});

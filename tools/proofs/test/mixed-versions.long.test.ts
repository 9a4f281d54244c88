import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkoutsOf } from '../../developers/bench/checkout.ts';
import { releasesIn } from '../../developers/bench/checkout.ts';
import { startBalancer } from '../faults/balancer.ts';
import { hasJoinedWithin } from '../system/instance-health.ts';
import { createLoad } from '../faults/load.ts';
import { pause } from '../system/poll.ts';
import { checkAtEnd } from '../faults/scenario.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';
import { isSuccess, createRequestKinds, type RequestResult, startTraffic, failureSummary } from '../faults/traffic.ts';

/** The newest release of CHANGELOG.md, with its commit. */
const [[RELEASE, COMMIT] = ['', '']] = releasesIn(
  readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8'),
);

/** Releases that cannot run beside the next version. A proof tests their upgrade, which needs a stop. */
const ALONE: readonly string[] = ['0.1.0'];

/**
 * Whether the clone contains the commit of the release. A shallow clone does not, and the test is skipped with a
 * warning.
 */
const hasCommit = (): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: OWN_CHECKOUT, stdio: 'ignore' });
    return true;
  } catch {
    console.warn(`NOT TESTED: commit ${COMMIT} (${RELEASE}) is not in this clone: git fetch --unshallow`);
    return false;
  }
};

const STOP_TIMEOUT_MS = 20_000;
const JOIN_TIMEOUT_MS = 40_000;
/** Both versions serve for this time after each exchange. */
const BESIDE_MS = 1_500;
const RATE = 30;
/**
 * A gateway without a health answer for this time gets no requests. Shorter than its drain, and enough for a busy
 * machine.
 */
const PROBE_TIMEOUT_MS = 2_500;
/** Services first, because a newer gateway may send calls that only a newer service knows. */
const ORDER = ['clazz', 'course', 'package', 'stats', 'gateway'];
const TWO = { clazz: 2, course: 2, package: 2, stats: 2, gateway: 2 };

let system: System | undefined;
afterEach(async () => {
  await system?.end();
  system = undefined;
});

describe.runIf(!ALONE.includes(RELEASE) && hasCommit())(
  `Release ${RELEASE} and this version side by side, under load`,
  () => {
    it(
      'fail no request during upgrade and downgrade, and statistics equal the sources',
      { timeout: 360_000 },
      async () => {
        const [, released = ''] = (await checkoutsOf(RELEASE))[1] ?? [];
        const env = { DRAIN_MS: '4000', DATABASE_LANES: '3', CALL_TIMEOUT_MS: '10000' };
        const running = await startSystem({ checkout: released, instances: TWO, env });
        system = running;
        // The change to the accounts of this version is a stop of its own, before the upgrade.
        running.configureBrokers(OWN_CHECKOUT);
        await running.nats.restart();
        await vi.waitFor(async () => expect(await running.allReady()).toBe(true), { timeout: JOIN_TIMEOUT_MS });
        const balancer = await startBalancer(running, PROBE_TIMEOUT_MS);
        const load = await createLoad({ ...running, api: balancer.api }, { seed: 2, writers: 1, restMs: 50 });
        const kinds = await createRequestKinds(balancer.api, randomUUID());
        await load.writeCount(50);
        const traffic = startTraffic(kinds, RATE);
        load.start();

        const exchanges: { name: string; at: number }[] = [];
        const exchange = async (one: System['instances'][number], to: string): Promise<void> => {
          exchanges.push({ name: `${one.name} to ${to === released ? RELEASE : 'this version'}`, at: Date.now() });
          expect(await one.stop(STOP_TIMEOUT_MS), `${one.name} ends`).toBeDefined();
          one.useCheckout(to);
          one.start();
          expect(
            await hasJoinedWithin(one, JOIN_TIMEOUT_MS),
            `${one.name} joins: ${one.logSinceStart().slice(-500)}`,
          ).toBe(true);
          await pause(BESIDE_MS);
        };
        await running.migrate(OWN_CHECKOUT);
        // The release runs on the new schema.
        await pause(2 * BESIDE_MS);
        for (const service of ORDER) for (const one of running.instancesOf(service)) await exchange(one, OWN_CHECKOUT);
        // Back in the opposite order, one instance of each service, so that both versions run at the end.
        for (const service of ORDER.toReversed())
          for (const one of running.instancesOf(service).slice(0, 1)) await exchange(one, released);
        const shots = await traffic.stop();
        await load.stop();
        await balancer.stop();
        const during = (shot: RequestResult): string =>
          exchanges.findLast(({ at }) => at <= shot.at + shot.ms)?.name ?? 'the migration';
        const failed = shots.filter((shot) => !isSuccess(shot)).map((shot) => `${shot.kind} during ${during(shot)}`);
        const left = running.instances
          .filter((one) => one.log().includes('takes no calls'))
          .map(({ name }) => `${name} left`);
        expect(failureSummary(shots), [...new Set([...failed, ...left])].join(', ')).toBe('none');
        expect(shots.filter(isSuccess).length).toBeGreaterThan(RATE);
        const { ok, line } = await checkAtEnd(running, load);
        expect(ok, line).toBe(true);
      },
    );
  },
);

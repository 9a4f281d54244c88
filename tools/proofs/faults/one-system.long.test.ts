import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSystem, OWN_CHECKOUT, type System } from '../system/start-system.ts';
import type { ScenarioOptions, Scenario } from './scenario.ts';
import { brokerPassword } from './scenarios/broker-password.ts';
import { logDiskFull } from './scenarios/log-disk-full.ts';
import { lostLastCommits } from './scenarios/lost-last-commits.ts';
import { unknownOutcome } from './scenarios/unknown-outcome.ts';
import { poisonPeer, slowPoison } from './scenarios/poison-peer.ts';
import { postgresDown } from './scenarios/postgres-down.ts';
import { sigterm } from './scenarios/sigterm.ts';
import { silentCut } from './scenarios/silent-cut.ts';
import { storeRestored } from './scenarios/store-restored.ts';

// Scenarios that need only one instance of each service. `npm run test:faults` runs all scenarios.

const context: ScenarioOptions = {
  checkout: OWN_CHECKOUT,
  seed: 20_261_120,
  minutes: 0,
  short: true,
  log: () => undefined,
};

describe('A system with one instance of each service', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem(context);
  });
  afterEach(() => system.heal());
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    [unknownOutcome.about, unknownOutcome],
    [storeRestored.about, storeRestored],
    [lostLastCommits.about, lostLastCommits],
    [poisonPeer.about, poisonPeer],
    [slowPoison.about, slowPoison],
    [silentCut.about, silentCut],
    [brokerPassword.about, brokerPassword],
    [sigterm.about, sigterm],
    [postgresDown.about, postgresDown],
    [logDiskFull.about, logDiskFull],
  ])('passes the scenario: %s', async (_about, { run }) => {
    const { ok, line } = await run(system, context);
    expect(ok, line).toBe(true);
  });
});

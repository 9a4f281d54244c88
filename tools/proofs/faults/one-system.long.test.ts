import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSystem, OWN_CHECKOUT, type System } from '../system/start-system.ts';
import type { Context, Scenario } from './scenario.ts';
import { brokerPassword } from './scenarios/broker-password.ts';
import { lostLast } from './scenarios/lost-last-commits.ts';
import { outcome } from './scenarios/outcome.ts';
import { poisonNeighbour, slowPoison } from './scenarios/poison-peer.ts';
import { postgresDown } from './scenarios/postgres-down.ts';
import { sigterm } from './scenarios/sigterm.ts';
import { silentCut } from './scenarios/silent-cut.ts';
import { storeRestored } from './scenarios/store-restored.ts';

// Scenarios that need only one instance of each service. `npm run test:faults` runs all scenarios.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_120, minutes: 0, short: true, say: () => undefined };

describe('A system with one instance of each service', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem(context);
  });
  afterEach(() => system.heal());
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    [outcome.about, outcome],
    [storeRestored.about, storeRestored],
    [lostLast.about, lostLast],
    [poisonNeighbour.about, poisonNeighbour],
    [slowPoison.about, slowPoison],
    [silentCut.about, silentCut],
    [brokerPassword.about, brokerPassword],
    [sigterm.about, sigterm],
    [postgresDown.about, postgresDown],
  ])('passes the scenario: %s', async (_about, { story }) => {
    const { ok, line } = await story(system, context);
    expect(ok, line).toBe(true);
  });
});

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

// What one instance of each can show; `npm run test:faults` plays all there is.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_120, minutes: 0, short: true, say: () => undefined };

describe('when things go wrong', () => {
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
  ])('all is well: %s', async (_about, { story }) => {
    const { ok, line } = await story(system, context);
    expect(ok, line).toBe(true);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';
import { nemesis } from './nemesis.ts';
import { type ScenarioOptions, runScenario, type Scenario } from './scenario.ts';
import { leaderTakeover } from './scenarios/leader-takeover.ts';
import { frozenInstance } from './scenarios/frozen-instance.ts';
import { killUnderLoad } from './scenarios/rolling-restart.ts';
import { wrongInstance } from './scenarios/wrong-instance.ts';

// Scenarios with several instances. Scenarios that compare times run only in `npm run test:faults`.

const context: ScenarioOptions = {
  checkout: OWN_CHECKOUT,
  seed: 20_261_122,
  minutes: 0,
  short: true,
  log: () => undefined,
};
/** A fixed seed, so each run draws the same faults. `npm run test:faults` draws others. */
const SEED = 11;

describe('A system with several instances', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ checkout: OWN_CHECKOUT, instances: { clazz: 2, stats: 2 } });
  });
  afterEach(() => system.heal());
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    [frozenInstance.about, frozenInstance],
    [wrongInstance.about, wrongInstance],
    [leaderTakeover.about, leaderTakeover],
  ])('passes the scenario: %s', async (_about, { run }) => {
    const { ok, line } = await run(system, context);
    expect(ok, line).toBe(true);
  });

  it('agrees in all its parts after random faults', async () => {
    const { ok, line } = await nemesis.run(system, { ...context, seed: SEED });
    expect(ok, line).toBe(true);
  });
});

it('answers only 503 or 504 beside successes while processes, broker and Postgres are killed', async () => {
  const { ok, line } = await runScenario(killUnderLoad, context);
  expect(ok, line).toBe(true);
});

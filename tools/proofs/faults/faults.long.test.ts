import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';
import { nemesis } from './nemesis.ts';
import { type Context, playScenario, type Scenario } from './scenario.ts';
import { duties } from './scenarios/duties.ts';
import { frozenInstance } from './scenarios/frozen-instance.ts';
import { killUnderLoad } from './scenarios/rolling-restart.ts';
import { wrongInstance } from './scenarios/wrong-instance.ts';

// Systems with several instances. What compares times is part of `npm run test:faults` only.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_122, minutes: 0, short: true, say: () => undefined };
/** Draws the same faults each time; `npm run test:faults` draws others. */
const SEED = 11;

describe('when parts of many break', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ checkout: OWN_CHECKOUT, instances: { clazz: 2, stats: 2 } });
  });
  afterEach(() => system.heal());
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    [frozenInstance.about, frozenInstance],
    [wrongInstance.about, wrongInstance],
    [duties.about, duties],
  ])('the others do: %s', async (_about, { story }) => {
    const { ok, line } = await story(system, context);
    expect(ok, line).toBe(true);
  });

  it('random faults leave everything in agreement', async () => {
    const { ok, line } = await nemesis.story(system, { ...context, seed: SEED });
    expect(ok, line).toBe(true);
  });
});

it('killed processes, broker and Postgres cost no answer but 503 and 504', async () => {
  const { ok, line } = await playScenario(killUnderLoad, context);
  expect(ok, line).toBe(true);
});

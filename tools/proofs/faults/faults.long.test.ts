import { describe, expect, it } from 'vitest';
import { nemesis } from './nemesis.ts';
import { type Context, play, type Scenario } from './scenario.ts';
import { brokerPassword } from './scenarios/broker-password.ts';
import { duties } from './scenarios/duties.ts';
import { frozenInstance } from './scenarios/frozen-instance.ts';
import { postgresDown } from './scenarios/postgres-down.ts';
import { killUnderLoad } from './scenarios/rolling.ts';
import { sigterm } from './scenarios/sigterm.ts';
import { silentCut } from './scenarios/silent-cut.ts';
import { wrongInstance } from './scenarios/wrong-instance.ts';
import { OWN_CHECKOUT } from '../system/start-system.ts';

// Each with a system of its own, of several instances. What compares times is part of `npm run test:faults` only.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_122, minutes: 0, short: true, say: () => undefined };

describe('when parts of many break', () => {
  it.each<[string, Scenario]>([
    [frozenInstance.about, frozenInstance],
    [wrongInstance.about, wrongInstance],
    [silentCut.about, silentCut],
    [killUnderLoad.about, killUnderLoad],
    [brokerPassword.about, brokerPassword],
    [sigterm.about, sigterm],
    [duties.about, duties],
    [postgresDown.about, postgresDown],
  ])('the others do: %s', async (_about, scenario) => {
    const { ok, line } = await play(scenario, context);
    expect(ok, line).toBe(true);
  });
});

/** Every one of them draws other faults. */
const SEEDS = [11];
it.each(SEEDS)('random faults of seed %i leave everything in agreement', async (seed) => {
  const { ok, line } = await play(nemesis, { ...context, seed });
  expect(ok, line).toBe(true);
});

import { describe, expect, it } from 'vitest';
import { type Context, play, type Scenario } from './scenario.ts';
import { brokerPassword } from './scenarios/broker-password.ts';
import { duties } from './scenarios/duties.ts';
import { frozenInstance } from './scenarios/frozen-instance.ts';
import { killUnderLoad, rolling } from './scenarios/rolling.ts';
import { sigterm } from './scenarios/sigterm.ts';
import { silentCut } from './scenarios/silent-cut.ts';
import { wrongInstance } from './scenarios/wrong-instance.ts';
import { OWN_CHECKOUT } from './system.ts';

// Each with a system of its own, of several instances. What compares times is part of `npm run test:faults` only.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_122, minutes: 0, short: true, say: () => undefined };

describe('when parts of many break', () => {
  it.each<[string, Scenario]>([
    [frozenInstance.about, frozenInstance],
    [wrongInstance.about, wrongInstance],
    [silentCut.about, silentCut],
    [rolling.about, rolling],
    [killUnderLoad.about, killUnderLoad],
    [brokerPassword.about, brokerPassword],
    [sigterm.about, sigterm],
    [duties.about, duties],
  ])('the others do: %s', async (_about, scenario) => {
    const { ok, line } = await play(scenario, context);
    expect(ok, line).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER } from './cluster.ts';
import type { Context, Scenario } from './scenario.ts';
import { loseAny } from './scenarios/lose-any.ts';
import { replaceAll } from './scenarios/replace-all.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_123, minutes: 0, short: true, say: console.log };

describe('three brokers and two of everything else, behind the proxy', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ checkout: OWN_CHECKOUT, ...CLUSTER });
  });
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    ['are replaced one after the other, and no request fails', replaceAll],
    ['are killed and frozen one after the other, and nothing is lost, doubled or away for long', loseAny],
  ])('%s', async (_what, { story }) => {
    const { ok, line } = await story(system, context);
    expect(ok, line).toBe(true);
  });
});

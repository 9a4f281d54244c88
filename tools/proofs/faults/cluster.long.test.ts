import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER } from './cluster.ts';
import type { ScenarioOptions, Scenario } from './scenario.ts';
import { loseAny } from './scenarios/lose-any.ts';
import { replaceAll } from './scenarios/replace-all.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';

const context: ScenarioOptions = {
  checkout: OWN_CHECKOUT,
  seed: 20_261_123,
  minutes: 0,
  short: true,
  log: console.log,
};

describe('A cluster of three brokers and two instances of each service, behind the proxy', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem({ checkout: OWN_CHECKOUT, ...CLUSTER });
  });
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    ['fails no request while its parts are replaced one after another', replaceAll],
    ['loses and duplicates nothing while its parts are killed and frozen one after another', loseAny],
  ])('%s', async (_title, { run }) => {
    const { ok, line } = await run(system, context);
    expect(ok, line).toBe(true);
  });
});

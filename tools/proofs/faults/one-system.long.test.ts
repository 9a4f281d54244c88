import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context, Scenario } from './scenario.ts';
import { lostLast } from './scenarios/lost-last.ts';
import { outcome } from './scenarios/outcome.ts';
import { poisonNeighbour, slowPoison } from './scenarios/poison-neighbour.ts';
import { storePutBack } from './scenarios/store-put-back.ts';
import { OWN_CHECKOUT, startSystem, type System } from '../system/start-system.ts';

// What one instance of each can show; `npm run test:faults` plays all there is.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_120, minutes: 0, short: true, say: () => undefined };
const LONG = { timeout: 120_000 };

describe('when things go wrong', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem(context);
  }, 120_000);
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    [outcome.about, outcome],
    [storePutBack.about, storePutBack],
    [lostLast.about, lostLast],
    [poisonNeighbour.about, poisonNeighbour],
    [slowPoison.about, slowPoison],
  ])('all is well: %s', LONG, async (_about, { story }) => {
    const { ok, line } = await story(system, context);
    expect(ok, line).toBe(true);
  });
});

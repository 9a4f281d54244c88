import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nemesis } from './nemesis.ts';
import { type Context, play, type Scenario } from './scenario.ts';
import { lostLast } from './scenarios/lost-last.ts';
import { outcome } from './scenarios/outcome.ts';
import { poisonNeighbour, slowPoison } from './scenarios/poison-neighbour.ts';
import { postgresDown } from './scenarios/postgres-down.ts';
import { storePutBack } from './scenarios/store-put-back.ts';
import { OWN_CHECKOUT, startSystem, type System } from './system.ts';

// The most telling part of `npm run test:faults`, which tries much more and longer.

const context: Context = { checkout: OWN_CHECKOUT, seed: 20_261_120, minutes: 0, short: true, say: () => undefined };
/** Every one of them draws other faults. */
const SEEDS = [11];
const LONG = { timeout: 120_000 };

describe('when things go wrong', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem(context);
  }, 120_000);
  afterAll(() => system?.end());

  it.each<[string, Scenario]>([
    [outcome.about, outcome],
    [postgresDown.about, postgresDown],
    [storePutBack.about, storePutBack],
    [lostLast.about, lostLast],
    [poisonNeighbour.about, poisonNeighbour],
    [slowPoison.about, slowPoison],
  ])('all is well: %s', LONG, async (_about, { story }) => {
    const { ok, line } = await story(system, context);
    expect(ok, line).toBe(true);
  });
});

it.each(SEEDS)('random faults of seed %i leave everything in agreement', LONG, async (seed) => {
  const { ok, line } = await play(nemesis, { ...context, seed });
  expect(ok, line).toBe(true);
});

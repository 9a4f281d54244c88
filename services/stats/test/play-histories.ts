import fc from 'fast-check';
import { expect } from 'vitest';
import { waitUntilCaughtUp } from '../../../tools/proofs/test/wait-caught-up.ts';
import type { Clock } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';
import { sumsAgree } from '../../../tools/proofs/test/sums.ts';
import { readFigures } from './read-figures.ts';
import { playHistory, Step } from './play-history.ts';
import { expectPeopleCounts } from './people-counts.ts';
import { rebuildStatistics, readTables } from './rebuild-statistics.ts';
import { recomputeFigures } from './recomputed-figures.ts';
import { expectOfficeFigures } from './office-figures.ts';

/** Seed of a failed run, from its failure message. If it is set, the same histories are played again. */
const { HISTORY_SEED } = process.env;

const seedOf = (seed: string | number | undefined) => (seed === undefined ? {} : { seed: Number(seed) });

/** Number of ranges of days in which the summary and the ledger are compared. */
const DAYS = 3;

/**
 * Plays random histories, each in a new organization. Expects that the incremental statistics equal the recomputed
 * figures, a rebuild, and the accounts, summaries and lists of the class service.
 */
export const playHistories = (
  fixture: Fixture,
  clock: Clock,
  { runs, steps, seed }: { runs: number; steps: number; seed?: number },
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: steps, maxLength: steps }), async (history) => {
      const org = crypto.randomUUID();
      const played = await playHistory(fixture, clock, org, history);
      await waitUntilCaughtUp(fixture);
      const incremental = await readFigures(fixture, org, played);
      expect(incremental).toEqual(await recomputeFigures(fixture, org, clock.now(), played, incremental));
      const before = await readTables(fixture, org);
      await rebuildStatistics(fixture);
      expect(await readFigures(fixture, org, played)).toEqual(incremental);
      expect(await readTables(fixture, org)).toEqual(before);
      const supervisor = fixture.as({ role: 'SUPERVISOR', org });
      await sumsAgree(supervisor, DAYS);
      await expectOfficeFigures(supervisor, incremental);
      await expectPeopleCounts(fixture, org, clock);
    }),
    { numRuns: runs, endOnFailure: true, ...seedOf(HISTORY_SEED ?? seed) },
  );

import fc from 'fast-check';
import type { Fixture } from '../../../../tools/proofs/test/fixture.ts';
import { cancellations, completedAndReopened, completions, reopenings } from './closing-steps.ts';
import { compareStates } from './compare-states.ts';
import { adjustments, grants, hourTransfers, refunds } from './hour-steps.ts';
import {
  approvals,
  bookedAndTurned,
  bookings,
  madeUps,
  rejections,
  requests,
  undoings,
  withdrawals,
} from './leave-steps.ts';
import { lengths, lessonCancels, lessonRestores, moves, newLessons } from './lesson-steps.ts';
import {
  capacities,
  departures,
  enrolments,
  resumptions,
  suspendedAndResumed,
  suspensions,
  transfers,
  waitings,
} from './member-steps.ts';
import { setUp } from './history-school.ts';
import { passings, policies, rollCalls } from './roll-call-steps.ts';

const OFTEN = [rollCalls, requests, approvals, bookings, madeUps];
const NOW_AND_THEN = [
  grants,
  passings,
  suspensions,
  resumptions,
  enrolments,
  lengths,
  reopenings,
  withdrawals,
  lessonRestores,
  capacities,
  departures,
  waitings,
  completedAndReopened,
  bookedAndTurned,
  bookedAndTurned,
];
const SELDOM = [
  hourTransfers,
  adjustments,
  refunds,
  policies,
  rejections,
  undoings,
  newLessons,
  lessonCancels,
  moves,
  transfers,
  suspendedAndResumed,
  completions,
  cancellations,
];
/** What a history is made of; a new route gets its step here. */
const STEPS = [...OFTEN, ...OFTEN, ...OFTEN, ...OFTEN, ...NOW_AND_THEN, ...NOW_AND_THEN, ...SELDOM];

/**
 * Plays random histories of at most so many steps on the model and on the service, other ones each time unless a seed is given.
 * A failure tells its seed and steps:
 * CASCADE_SEED plays it again, CASCADE_SHRINK looks for the shortest one like it, CASCADE_COMPARE=1 compares after each
 * step; CASCADE_RUNS and CASCADE_STEPS play more or longer ones.
 */
export const playHistory = (
  fixture: Fixture,
  courses: string[],
  size: { runs: number; steps: number; seed?: number },
): Promise<void> => {
  const {
    CASCADE_RUNS: runs,
    CASCADE_STEPS: most,
    CASCADE_SEED: seed = size.seed,
    CASCADE_SHRINK: shrink,
  } = process.env;
  const maxLength = Number(most ?? size.steps);
  const histories = fc.array(fc.oneof(...STEPS), { minLength: Math.ceil(maxLength / 2), maxLength, size: 'max' });
  const property = fc.asyncProperty(histories, async (history) => {
    const { model, real } = await setUp(fixture, courses);
    await fc.asyncModelRun(() => ({ model, real }), history);
    await compareStates(model, real);
  });
  return fc.assert(property, {
    numRuns: Number(runs ?? size.runs),
    endOnFailure: shrink === undefined,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
};

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

const FREQUENT = [rollCalls, requests, approvals, bookings, madeUps];
const OCCASIONAL = [
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
const RARE = [
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
/** The steps of a history, repeated by their frequency. A new route needs a step here. */
const STEPS = [...FREQUENT, ...FREQUENT, ...FREQUENT, ...FREQUENT, ...OCCASIONAL, ...OCCASIONAL, ...RARE];

/**
 * Plays random histories of at most `size.steps` steps on the model and on the service. Without a seed, each run plays
 * other histories. A failure prints its seed and steps.
 *
 * Environment variables: CASCADE_SEED plays a history again. CASCADE_SHRINK searches for the shortest one that fails.
 * CASCADE_COMPARE=1 compares after each step. CASCADE_RUNS and CASCADE_STEPS set the number and length of histories.
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

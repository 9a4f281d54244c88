import fc from 'fast-check';
import { clazzCancellations, completedAndReopened, completions, reopenings } from './completion-steps.ts';
import { compareStates } from './compare-states.ts';
import { adjustments, grants, grantUndos, hourTransfers, refunds } from './hour-steps.ts';
import {
  approvals,
  bookedAndMarkedAgain,
  bookings,
  decidedAndReopened,
  requestedAndMadeUp,
  rejections,
  requests,
  makeUpUndos,
  leaveCancellations,
  leaveReopenings,
} from './leave-steps.ts';
import {
  addedAndRemoved,
  closures,
  hourChanges,
  lessonCancellations,
  lessonRemovals,
  lessonRestores,
  moves,
  newLessons,
  substitutions,
} from './lesson-steps.ts';
import {
  capacities,
  enrolmentWithdrawals,
  enrolments,
  resumptions,
  seatsOverTime,
  suspendedAndResumed,
  suspensions,
  transfers,
  waitingListEntries,
} from './member-steps.ts';
import { endHistory, type HistoryFixture, setUpHistory } from './history-school.ts';
import { clockAdvances, policies, rollCalls, unmarkings } from './roll-call-steps.ts';

const FREQUENT = [rollCalls, requests, approvals, bookings, requestedAndMadeUp];
const OCCASIONAL = [
  grants,
  clockAdvances,
  suspensions,
  resumptions,
  enrolments,
  hourChanges,
  reopenings,
  leaveCancellations,
  leaveReopenings,
  decidedAndReopened,
  unmarkings,
  lessonRestores,
  capacities,
  enrolmentWithdrawals,
  waitingListEntries,
  seatsOverTime,
  completedAndReopened,
  bookedAndMarkedAgain,
  bookedAndMarkedAgain,
];
const RARE = [
  hourTransfers,
  adjustments,
  refunds,
  grantUndos,
  policies,
  rejections,
  makeUpUndos,
  newLessons,
  addedAndRemoved,
  lessonRemovals,
  lessonCancellations,
  closures,
  substitutions,
  moves,
  moves,
  transfers,
  transfers,
  suspendedAndResumed,
  completions,
  clazzCancellations,
];
/** The steps of a history, repeated by their frequency. A new route needs a step here. */
const STEPS = [...FREQUENT, ...FREQUENT, ...FREQUENT, ...FREQUENT, ...OCCASIONAL, ...OCCASIONAL, ...RARE];

/**
 * Plays random histories of `size.steps` steps on the model and on the service. Without a seed, each run plays
 * other histories. A failure prints its seed and steps.
 *
 * Environment variables: CASCADE_SEED plays a history again. CASCADE_SHRINK searches for the shortest one that fails.
 * CASCADE_PATH plays only the history at this path, as a failure prints it.
 * CASCADE_COMPARE=1 compares after each step. CASCADE_RUNS and CASCADE_STEPS set the number and length of histories.
 */
export const playHistories = (
  fixture: HistoryFixture,
  size: { runs: number; steps: number; seed?: number },
): Promise<void> => {
  const {
    CASCADE_RUNS: runs,
    CASCADE_STEPS: most,
    CASCADE_SEED: seed = size.seed,
    CASCADE_SHRINK: shrink,
    CASCADE_PATH: path,
  } = process.env;
  const length = Number(most ?? size.steps);
  const histories = fc.array(fc.oneof(...STEPS), { minLength: length, maxLength: length, size: 'max' });
  const property = fc.asyncProperty(histories, async (history) => {
    const { model, real } = await setUpHistory(fixture);
    await fc.asyncModelRun(() => ({ model, real }), history);
    await compareStates(model, real);
    await endHistory(model, real);
  });
  return fc.assert(property, {
    numRuns: Number(runs ?? size.runs),
    endOnFailure: shrink === undefined,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  });
};

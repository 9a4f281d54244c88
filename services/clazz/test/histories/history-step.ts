import { PROBLEMS } from '@teaching/contracts';
import fc from 'fast-check';
import { expectOk, expectRefusal } from '../../../../tools/proofs/test/expect-answers.ts';
import type { Answer } from '../../../../tools/proofs/test/api.ts';
import { IS_PROOF } from '../../../../tools/proofs/test/proof-size.ts';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { passTime } from '../model/hours.ts';
import type { Model, Caller } from '../model/state.ts';
import { promoteOverTime, promoteWaiting } from '../model/waiting-list.ts';
import { compareStates } from './compare-states.ts';
import { clock, type RealSchool } from './history-school.ts';

export type Step = fc.AsyncCommand<Model, RealSchool>;

/**
 * The number of steps between two comparisons, set by `CASCADE_COMPARE`. The end of a history is always compared. Most
 * of the time of a step is its comparison.
 */
const COMPARE_EVERY = Number(process.env['CASCADE_COMPARE'] ?? (IS_PROOF ? 25 : 6));
let steps = 0;

/** Sets the clocks of model and service to the same instant. */
export const advanceClock = (m: Model, to: number): void => {
  passTime(m, to);
  clock.set(m.now);
};

/** Advances both clocks by a second, so that no two actions happen at the same instant. */
export const passOneSecond = (m: Model): void => advanceClock(m, m.now + 1_000);

/** Runs a pass of the job that promotes waiting students over time, in both systems. */
const runJob = async (m: Model, real: RealSchool): Promise<void> => {
  m.actor = 'job';
  await real.promoteOverTime();
  promoteOverTime(m);
  m.actor = 'supervisor';
};

/**
 * A command of fast-check. Advances the clock by a second, runs the step, and compares after `COMPARE_EVERY` steps. The
 * job runs whenever time passed, so that the jobs of the fixture's own services find nothing to do.
 */
export const stepCommand = (name: string, run: (m: Model, real: RealSchool) => Promise<unknown>): Step => ({
  check: () => true,
  run: async (m, real) => {
    passOneSecond(m);
    await runJob(m, real);
    await run(m, real);
    await runJob(m, real);
    steps += 1;
    if (steps % COMPARE_EVERY === 0) await compareStates(m, real);
  },
  toString: () => name,
});

/** The draft of an action of this caller. Without it, the supervisor acts. */
export const actingAs = (draft: Model, { role }: Caller): Model => Object.assign(draft, { actor: role });

/**
 * Performs an action on the model and on the service. If the model refuses it, the service must refuse it with the same
 * code, and the model stays unchanged: the result is `undefined`.
 */
export const inBothSystems = async <B, R = unknown>(
  m: Model,
  onModel: (draft: Model) => R,
  onReal: () => Promise<Answer<B>>,
  status = 200,
): Promise<{ body: B; expected: R | undefined } | undefined> => {
  const draft = structuredClone(m);
  const answer = await onReal();
  let expected: R | undefined;
  const refusal = refusalOf(() => {
    expected = onModel(draft);
    promoteWaiting(draft);
  });
  if (refusal !== 'fine') {
    expectRefusal(answer, PROBLEMS[refusal][0], refusal);
    return undefined;
  }
  const body = expectOk(answer, status);
  Object.assign(m, draft);
  return { body, expected };
};

/** The index of a fitting element, or of any element if `isAny`, selected by `which`. `undefined` if there is none. */
export const pickIndex = <T>(
  all: readonly T[],
  which: number,
  isAny: boolean,
  fits: (it: T, index: number) => boolean,
): number | undefined => {
  const from = all.flatMap((it, index) => (isAny || fits(it, index) ? [index] : []));
  return from[which % Math.max(1, from.length)];
};

/** A number that selects an element of a list. */
export const choice = fc.nat(10_000);
/** Whether a step may select an element that does not fit: true in one of eight cases. */
export const unrestricted = fc.nat(7).map((it) => it === 0);
/** The caller of an action: a supervisor or a teacher, with or without a reason. */
export const callers: fc.Arbitrary<Caller> = fc.constantFrom<Caller[]>(
  { role: 'supervisor', reason: true },
  { role: 'supervisor', reason: true },
  { role: 'supervisor', reason: false },
  { role: 'teacher', reason: true },
  { role: 'teacher', reason: false },
);

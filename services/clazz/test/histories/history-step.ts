import { PROBLEMS } from '@teaching/contracts';
import fc from 'fast-check';
import { expectOk, expectRefusal } from '../../../../tools/proofs/test/expect-answers.ts';
import type { Answer } from '../../../../tools/proofs/test/api.ts';
import { refusalOf } from '../../../../tools/proofs/test/refusal-of.ts';
import { pass } from '../model/hours.ts';
import type { Model, Who } from '../model/state.ts';
import { promoteWaiting } from '../model/waiting-list.ts';
import { compareStates } from './compare-states.ts';
import { clock, type RealSchool } from './history-school.ts';

export type Step = fc.AsyncCommand<Model, RealSchool>;

/** Everything is compared after so many steps, and at the end. */
const EVERY = Number(process.env['CASCADE_COMPARE'] ?? 6);
let steps = 0;

/** Time passes on both sides. */
export const advanceClock = (m: Model, to: number): void => {
  pass(m, to);
  clock.set(m.now);
};

/** Nothing happens at the same moment. */
export const passOneSecond = (m: Model): void => advanceClock(m, m.now + 1_000);

/** A step as fast-check drives it: a second later it is done, and now and then everything is compared. */
export const stepCommand = (name: string, run: (m: Model, real: RealSchool) => Promise<unknown>): Step => ({
  check: () => true,
  run: async (m, real) => {
    passOneSecond(m);
    await run(m, real);
    steps += 1;
    if (steps % EVERY === 0) await compareStates(m, real);
  },
  toString: () => name,
});

/** Does the same on both sides; what the model refuses must be refused with the same code, and change nothing. */
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

/** The index of one in a list that fits, or of any when that is wanted (`wild`); none where there is none. */
export const oneOf = <T>(
  all: readonly T[],
  n: number,
  wild: boolean,
  fits: (it: T, index: number) => boolean,
): number | undefined => {
  const from = all.flatMap((it, index) => (wild || fits(it, index) ? [index] : []));
  return from[n % Math.max(1, from.length)];
};

export const n = fc.nat(10_000);
/** Seldom anything at all, mostly what fits. */
export const wild = fc.nat(7).map((it) => it === 0);
export const who: fc.Arbitrary<Who> = fc.constantFrom<Who[]>(
  { role: 'supervisor', reason: true },
  { role: 'supervisor', reason: true },
  { role: 'supervisor', reason: false },
  { role: 'teacher', reason: true },
  { role: 'teacher', reason: false },
);

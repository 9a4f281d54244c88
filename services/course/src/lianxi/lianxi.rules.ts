import { type Lianxi, Problem, type Question, sumOf } from '@teaching/contracts';

type Content = Lianxi['content'];

export const summaryOf = ({ questions }: Content) => ({
  question_count: questions.length,
  total_points: sumOf(questions.map(({ points }) => points)),
});

/** What students get to see before their mark is released: no key, also not of free text, where it is the model answer. */
export const withoutKeys = ({ questions }: Content): Content => ({
  questions: questions.map(({ answer_key: _hidden, ...shown }: Question) => shown),
});

interface Times {
  due_at?: string | null | undefined;
  closes_at?: string | null | undefined;
}
interface Limits {
  closes_at: string | null;
  max_attempts: number | null;
}

/** Nothing closes before it is due (400, which names the time that was given). */
export const requireDueBeforeClosing = ({ due_at, closes_at }: Times, given: Times): void => {
  if (due_at == null || closes_at == null || Date.parse(closes_at) >= Date.parse(due_at)) return;
  const problem =
    given.closes_at == null
      ? { path: '/body/due_at', message: 'must not be after closes_at' }
      : { path: '/body/closes_at', message: 'must not be before due_at' };
  throw new Problem('invalid_request', { errors: [problem] });
};

/**
 * Whether a student who handed in `attempts` times may do so again; `closes_at` is the effective one for them. At the
 * closing time itself a practice is still open, as it is in time when due.
 */
export const requireOpen = ({ closes_at, max_attempts }: Limits, attempts: number, now: Date): void => {
  if (closes_at !== null && now.getTime() > Date.parse(closes_at)) {
    throw new Problem('practice_closed', `The practice closed at ${closes_at}`);
  }
  if (max_attempts !== null && attempts >= max_attempts) {
    throw new Problem('attempts_used_up', `There are at most ${max_attempts} attempts`);
  }
};

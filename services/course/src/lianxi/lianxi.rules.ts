import { type Lianxi, Problem, type Question, sumOf } from '@teaching/contracts';

type Content = Lianxi['content'];

export const summaryOf = ({ questions }: Content) => ({
  question_count: questions.length,
  total_points: sumOf(questions.map(({ points }) => points)),
});

/**
 * The content without answer keys, for students without a released mark. The key of a free text is the model answer.
 */
export const withoutKeys = ({ questions }: Content): Content => ({
  questions: questions.map(({ answer_key: _hidden, ...visible }: Question) => visible),
});

interface Times {
  due_at?: string | null | undefined;
  closes_at?: string | null | undefined;
}
interface Limits {
  closes_at: string | null;
  max_attempts: number | null;
}

/** Refuses a closing time before the due time (400). The problem names the time that the request contains. */
export const requireDueBeforeClosing = ({ due_at, closes_at }: Times, requested: Times): void => {
  if (due_at == null || closes_at == null || Date.parse(closes_at) >= Date.parse(due_at)) return;
  const problem =
    requested.closes_at == null
      ? { path: '/body/due_at', message: 'must not be after closes_at' }
      : { path: '/body/closes_at', message: 'must not be before due_at' };
  throw new Problem('invalid_request', { errors: [problem] });
};

/**
 * Refuses a new attempt after the closing time, or after the last allowed attempt (409). `closes_at` is the time that
 * applies to the student, `attempts` the number of earlier attempts. An attempt exactly at the closing time is
 * accepted.
 */
export const requireOpen = ({ closes_at, max_attempts }: Limits, attempts: number, now: Date): void => {
  if (closes_at !== null && now.getTime() > Date.parse(closes_at)) {
    throw new Problem('practice_closed', `The exercise closed at ${closes_at}`);
  }
  if (max_attempts !== null && attempts >= max_attempts) {
    throw new Problem('attempts_used_up', `At most ${max_attempts} attempts are allowed`);
  }
};
